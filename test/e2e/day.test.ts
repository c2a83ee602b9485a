import { mkdirSync, readdirSync, renameSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { say, script, silent } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CLOCK = pathToFileURL(path.resolve(import.meta.dirname, "later-clock.mjs")).href;

let folder: string;
let data: string;
let root: string;
let server: RunningServer | null = null;
let client: Client;
/** How far the clocks of the server and of all commands are ahead. */
let aheadMs = 0;

beforeEach(() => {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  ({ folder, data, root } = prepareFolder({ providers, defaultProvider: "scripted" }));
  for (const name of ["kept", "lost"])
    mkdirSync(path.join(root, name, ".git"), { recursive: true });
  aheadMs = 0;
});
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
  removeFolder(folder);
});

const environment = (): Record<string, string> => ({
  AGENT_WORKSPACE_ROOT: root,
  NODE_OPTIONS: `--import ${CLOCK}`,
  TEST_CLOCK_AHEAD_MS: String(aheadMs),
});

async function start(): Promise<void> {
  server = await startHoldfast({ data, env: environment() });
  client = createClient({ url: server.url });
}

async function stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  await server?.end(signal);
  server = null;
}

/** A command at the time that the clocks show. */
async function run(
  args: readonly string[],
  { folder: at = data, input = "" } = {},
): Promise<string> {
  const { code, stdout, stderr } = await holdfast([...args, "--data", at], environment(), input);
  if (code !== 0) throw new Error(`holdfast ${args.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}

async function ask(agent: string): Promise<unknown> {
  const input = JSON.stringify({ agent_name: agent });
  return JSON.parse(await run(["hook", "pre-delegate"], { input }));
}

async function chat(repository: string, text: string): Promise<string> {
  const repo = await client.repos.add({ path: repository });
  const { id } = await client.sessions.create({ repoId: repo.id, title: `In ${repository}` });
  await client.sessions.send(id, { text: script(say(text)) });
  await until(id, ({ state, messages }) => state === "idle" && messages.length >= 2);
  return id;
}

async function until(id: string, isSo: (session: WholeSession) => boolean): Promise<WholeSession> {
  for await (const { session } of client.sessions.follow(id)) if (isSo(session)) return session;
  throw new Error("the session was deleted");
}

async function untilGone(id: string): Promise<void> {
  const followed = client.sessions.follow(id);
  while ((await followed.next()).done !== true) continue;
}

async function idsThere(): Promise<readonly string[]> {
  const { sessions } = await client.sessions.list({
    status: ["active", "suspended", "archived", "error"],
    limit: 100,
  });
  return sessions.map(({ id, agentId }) => agentId ?? id).toSorted();
}

/** As old as they were, and saying what they said. */
async function told(ids: readonly string[]) {
  const sessions = await Promise.all(ids.map((id) => client.sessions.get(id)));
  return sessions.map(({ id, lastActiveAt, createdAt, messages }) => ({
    id,
    lastActiveAt,
    createdAt,
    said: messages.map(({ role, content }) => [role, content]),
  }));
}

describe("a day in the life", () => {
  it("rulings 14–17: no conversation is lost, and every age is right", async () => {
    // In the morning: agents that others run report by commands and hooks, people chat.
    await start();
    await run(["create", "--id", "agent-old", "--agent", "builder"]);
    await run(["create", "--id", "agent-alive", "--agent", "planner"]);
    await run(["update", "agent-alive", "--phase", "planning"]);
    expect(await ask("planner")).toMatchObject({ should_resume: true, agent_id: "agent-alive" });
    const chats = [await chat("kept", "Good morning."), await chat("lost", "Good day.")];
    const [kept = "", lost = ""] = chats;
    const morning = await told([...chats, "agent-old", "agent-alive"]);

    // The server is stopped for the night. Conversations wait for it; the agents' sessions do not notice.
    await stop("SIGTERM");
    const atNight = JSON.parse(await run(["list", "--json"])) as {
      agent_id: string;
      status: string;
    }[];
    expect(new Map(atNight.map(({ agent_id, status }) => [agent_id, status]))).toEqual(
      new Map([
        [kept, "suspended"],
        [lost, "suspended"],
        ["agent-old", "active"],
        ["agent-alive", "active"],
      ]),
    );

    // The next morning everything is active, and as old as it was: yesterday's plan is too old to resume.
    aheadMs = 25 * HOUR_MS;
    await start();
    expect(await told([...chats, "agent-old", "agent-alive"])).toEqual(morning);
    for (const id of chats)
      expect(await client.sessions.get(id)).toMatchObject({ status: "active", suspendedAt: null });
    expect(await ask("planner")).toMatchObject({ should_resume: false });

    // A heartbeat: the phase it has already. Then the line that cron runs.
    await run(["update", "agent-alive", "--phase", "planning"]);
    expect(await ask("planner")).toMatchObject({ should_resume: true });
    expect(JSON.parse(await run(["cleanup", "--hours", "24"]))).toMatchObject({
      removed: 1,
      kept: { conversations: 2 },
    });
    expect(await idsThere()).toEqual(["agent-alive", ...chats].toSorted());

    // A crash in the middle of an answer.
    await client.sessions.send(kept, { text: script(say("I was just about"), silent()) });
    await until(kept, ({ messages }) => messages.length >= 4);
    await stop("SIGKILL");
    aheadMs = 26 * HOUR_MS;
    await start();
    const cut = await until(kept, ({ state }) => state === "idle");
    expect(cut.status).toBe("active");
    await client.sessions.send(kept, { text: script(say("And on.")) });
    await until(kept, ({ state, messages }) => state === "idle" && messages.length >= 6);
    const evening = await told([kept, lost]);
    expect(evening[1]).toEqual(morning[1]);

    // A repository goes away. Its session says so, and when it will be removed.
    await stop("SIGTERM");
    renameSync(path.join(root, "lost"), path.join(root, "elsewhere"));
    await start();
    const stuck = await client.sessions.get(lost);
    expect(stuck).toMatchObject({
      status: "suspended",
      suspendedReason: expect.stringContaining("Its repository cannot be used"),
    });
    expect(Date.parse(stuck.removeAt ?? "")).toBeGreaterThan(Date.parse(stuck.suspendedAt ?? ""));

    // Much later the daily round removes it, bundle first, and nothing else.
    await stop("SIGTERM");
    aheadMs = 40 * DAY_MS;
    await start();
    await untilGone(lost);
    expect(await idsThere()).toEqual(["agent-alive", kept].toSorted());
    expect(JSON.parse(await run(["removed", "--json"]))).toMatchObject([
      { id: lost, title: "In lost", repoPath: path.join(root, "lost") },
    ]);
    await run(["restore", lost]);
    expect(await told([kept, lost])).toEqual(evening);
    expect((await client.removed.list()).removed).toEqual([]);

    // All of it moves to another machine.
    const bundles = path.join(folder, "bundles");
    await run(["export", kept, lost, "--to", bundles]);
    await stop("SIGTERM");
    const elsewhere = path.join(folder, "other-data");
    const files = readdirSync(bundles).map((name) => path.join(bundles, name));
    await run(["import", ...files], { folder: elsewhere });
    server = await startHoldfast({ data: elsewhere, env: environment() });
    client = createClient({ url: server.url });
    const moved = await told([kept, lost]);
    expect(moved.map(({ said: _, ...ages }) => ages)).toEqual(
      evening.map(({ said: _, ...ages }) => ages),
    );
    for (const [index, { said }] of moved.entries())
      expect(said).toEqual(expect.arrayContaining(evening[index]?.said ?? []));
  });
});
