import type { JsonObject } from "../../domain/json.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import { GitFault } from "../../git/git-fault.ts";
import { AgentFault, type AgentReport } from "../../providers/provider.ts";
import type { Fence } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { findOthersAtWork } from "./shared-warning.ts";
import type { MadeWorktree } from "./session-folders.ts";

export interface PrepareFolder {
  readonly session: Session;
  readonly run: CurrentRun;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  /** Shows something in the transcript of the run. */
  readonly report: (report: AgentReport) => Promise<void> | undefined;
  readonly say: (text: string, notice: string, more: JsonObject) => void;
}

/**
 * Makes the worktree of a session before its first run, and runs the command that prepares it. If the server dies meanwhile, both
 * are done again. Returns the session with its folder. Throws an `AgentFault`.
 */
export async function prepareFolder(
  context: RuntimeContext,
  request: PrepareFolder,
): Promise<Session> {
  const { session, fence } = request;
  const { workspace } = session;
  if (workspace.kind === "shared") await warnOfOthers(context, request);
  if (workspace.kind === "shared" || workspace.worktree !== null) return session;
  try {
    const made = await context.folders.makeWorktree(session);
    request.say(describe(made), "worktree_made", { preparation: true });
    await setUp(context, request, made);
    const { worktree } = made;
    await context.execute({
      sessionId: session.id,
      command: { type: "record-worktree", at: context.clock(), worktree },
      extras: { fence },
    });
    return { ...session, workspace: { ...workspace, worktree } };
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    throw new AgentFault("agent_not_started", `The worktree cannot be made: ${error.message}`, {
      detail: error.detail,
      cause: error,
    });
  }
}

/** Says once that other sessions work in the same folder, as long as they are the same ones. */
async function warnOfOthers(
  { store, warned, cluster, slots }: RuntimeContext,
  { session, run, say }: PrepareFolder,
): Promise<void> {
  const isOnlyOne = cluster.isAlone && slots.busy <= 1;
  if (run.attempts > 0 || isOnlyOne) return;
  const others = await findOthersAtWork(store, session);
  if (others === null || warned.get(session.id) === others.key) return;
  warned.set(session.id, others.key);
  say(others.text, "folder_shared", { preparation: true });
}

const SHOWN_FILES = 10;

function describe({ worktree, copied, leftOut }: MadeWorktree): string {
  const { folder, branch, base } = worktree;
  return [
    `This session works in the worktree ${folder}, on the branch ${branch}, which began at commit ${base.slice(0, 12)}.`,
    ...(copied.length === 0 ? [] : [`Copied from the repository: ${names(copied)}.`]),
    ...(leftOut.length === 0 ? [] : [`Not copied: ${names(leftOut)}.`]),
  ].join(" ");
}

function names(files: readonly string[]): string {
  const more = files.length - SHOWN_FILES;
  return [...files.slice(0, SHOWN_FILES), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** What is kept of the output in the message of the call. */
const MAX_OUTPUT = 64 * 1024;

async function setUp(
  { folders, newId }: RuntimeContext,
  { session, signal, report }: PrepareFolder,
  { worktree }: MadeWorktree,
): Promise<void> {
  const command = await folders.setupOf(session);
  if (command === null) return;
  const callId = `setup-${newId()}`;
  let output = "";
  const content = (status: string, more: object = {}) => ({
    type: "tool",
    tool: "setup",
    title: command,
    kind: "execute",
    status,
    args: { command },
    callId,
    preparation: true,
    output: output === "" ? [] : [{ type: "terminal", text: output }],
    ...more,
  });
  await report({ report: "tool", callId, content: content("in_progress"), ended: false });
  const end = await folders.setUp(session, worktree, {
    signal,
    onOutput: (text) => {
      output = (output + text).slice(-MAX_OUTPUT);
      void report({ report: "output", callId, text });
    },
  });
  const hasFailed = end !== null && end.code !== 0;
  const status = hasFailed ? "failed" : "completed";
  const result = { exitCode: end?.code ?? null };
  await report({ report: "tool", callId, content: content(status, { result }), ended: true });
  if (!hasFailed) return;
  const how = end.isTimeout ? "took too long" : `failed with code ${end.code ?? "none"}`;
  throw new AgentFault(
    "agent_not_started",
    `The command that prepares the worktree ${how}: ${command}`,
    { detail: output.slice(-4_000) },
  );
}
