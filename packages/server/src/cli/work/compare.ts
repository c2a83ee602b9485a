import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { comparedSession, type Session } from "@holdfast/protocol";
import { EXIT } from "../exit.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { commandLine } from "../terminal/invocation.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { repoIdOf, repositoryFor } from "../commands/tracking.ts";

export interface CompareFlags extends CommonFlags {
  readonly agents: string;
  readonly repo?: string;
  readonly base?: string;
  readonly detach?: true;
}

const MAX_AGENTS = 10;
const LOOK_MS = 500;

/** Gives several agents the same message, each in a worktree of its own, and shows what they made of it. */
export async function compareAgents(message: string, flags: CompareFlags): Promise<number> {
  const printer = openPrinter(flags);
  const agents = flags.agents.split(",").map((name) => name.trim());
  if (agents.length < 2 || agents.includes(""))
    throw new WrongUsage("--agents needs at least two names, separated by commas.");
  if (agents.length > MAX_AGENTS) throw new WrongUsage(`Compare at most ${MAX_AGENTS} agents.`);
  const folder = repositoryFor(flags);
  if (folder === null) throw new WrongUsage("You are not in a repository. Name one with --repo.");
  return withGateway(
    flags,
    "change",
    async (gateway) => {
      const repoId = await repoIdOf(gateway, folder);
      const comparison = randomUUID();
      const base = flags.base ?? null;
      const ids: string[] = [];
      for (const provider of agents) {
        const request = comparedSession({ comparison, repoId, provider, message, base });
        ids.push((await gateway.sessions.create(request)).id);
      }
      // No agent begins before all sessions are there: one that is refused leaves nothing at work.
      for (const id of ids) await gateway.sessions.send(id, { text: message });
      if (flags.detach === true) {
        if (flags.json === true) printer.json({ sessions: ids });
        else for (const id of ids) printer.line(id);
        return EXIT.done;
      }
      const sessions = await untilDone(gateway, ids, printer);
      show(printer, sessions, flags.json === true);
      return sessions.some(({ state }) => state === "suspended") ? EXIT.suspended : EXIT.done;
    },
    { withProviders: true },
  );
}

/** Waits until no session works any more. One that waits for a person does not work. */
async function untilDone(
  { sessions }: SessionGateway,
  ids: readonly string[],
  printer: Printer,
): Promise<readonly Session[]> {
  const said = new Set<string>();
  for (;;) {
    const all = await Promise.all(ids.map((id) => sessions.get(id)));
    for (const { id, provider, state, queued } of all) {
      const isDone = state !== "running" && queued === 0;
      const key = `${id} ${state}`;
      if (!isDone || said.has(key)) continue;
      said.add(key);
      printer.note(`${provider ?? id}: ${state === "suspended" ? "waits for you" : "done"}.`);
    }
    if (all.every(({ state, queued }) => state !== "running" && queued === 0)) return all;
    await pause(LOOK_MS);
  }
}

function show(printer: Printer, sessions: readonly Session[], json: boolean): void {
  if (json) {
    printer.json({
      sessions: sessions.map(({ id, provider, state, changes, worktree, lastError }) => ({
        id,
        provider,
        state,
        changes,
        worktree,
        lastError,
      })),
    });
    return;
  }
  const rows = sessions.map(({ id, provider, state, changes, lastError }) => [
    provider,
    state === "suspended" ? "waits for you" : lastError === null ? "done" : "failed",
    changes === null ? "" : `${changes.files} files, +${changes.added} -${changes.deleted}`,
    id,
  ]);
  printer.table(rows, ["AGENT", "STATE", "CHANGES", "SESSION"]);
  printer.note(`See one with: ${commandLine("changes SESSION --patch")}`);
  printer.note(
    `Take one with: ${commandLine("commit SESSION")}, then ${commandLine("merge SESSION")}`,
  );
}
