import type { CurrentRun } from "../../domain/run.ts";
import { currentRunOf, openSuspensionsOf, type Session } from "../../domain/session.ts";
import type { StoredSession } from "../../storage/ports/session-store.ts";
import type { RuntimeContext } from "../context.ts";
import type { TakenUpRun } from "../run/run-work.ts";
import type { SessionAgent } from "../worker/session-agent.ts";
import { readCursor } from "./agent-cursor.ts";
import { readPromptNote, type PromptNote } from "./found-agents.ts";

export type TakenUp =
  /** The agent works on the current run. */
  | {
      readonly is: "work";
      readonly session: Session;
      readonly run: CurrentRun;
      readonly takenUp: TakenUpRun;
    }
  /** The agent is idle, or has ended. It has not got the message of the current run. */
  | { readonly is: "idle"; readonly run: CurrentRun | null }
  /** The session cannot be worked on now. */
  | { readonly is: "later" }
  | { readonly is: "nothing" };

/** Goes on with the agent that an earlier server has left. `canWork`: this node owns the session, and has a slot. */
export async function takeUpFound(
  context: RuntimeContext,
  agent: SessionAgent,
  sessionId: string,
  canWork: () => Promise<boolean>,
): Promise<TakenUp> {
  const found = context.found.of(sessionId);
  if (found === null) return { is: "nothing" };
  const before = await context.store.load(sessionId);
  if (before.found !== "session") {
    await context.found.end(found);
    return { is: "nothing" };
  }
  if (!(await canWork())) return { is: "later" };
  const loaded = await context.store.load(sessionId);
  if (loaded.found !== "session") return { is: "nothing" };
  const { session, agentCursor } = loaded.stored;
  const note = readPromptNote(found.prompt);
  const run = currentRunOf(session);
  const take = { session, found, stored: readCursor(agentCursor) };
  if (run !== null && note !== null && run.id === note.runId) {
    const isKnown = await isPlaceKnown(context, loaded.stored, run);
    const find: TakenUpRun["find"] = async (signal) => {
      if (isKnown) return agent.takeUp({ ...take, signal });
      await context.found.end(found);
      return null;
    };
    const begun = { ...run, attempts: note.attempts };
    return { is: "work", session, run: begun, takenUp: { note, find } };
  }
  const live = await agent.takeUp({ ...take, signal: new AbortController().signal });
  if (live !== null && note !== null) await settleEarlierPrompt(context, agent, note);
  return { is: "idle", run };
}

/**
 * Whether it is known how much of the agent's output is stored. The place is lost if the schema was rolled back meanwhile: then
 * nobody can tell what to store, and the agent is ended.
 */
async function isPlaceKnown(
  { store }: Pick<RuntimeContext, "store">,
  { session, agentCursor }: StoredSession,
  run: CurrentRun,
): Promise<boolean> {
  if (agentCursor !== null) return true;
  if (openSuspensionsOf(session).length > 0) return false;
  const messages = await store.readMessages({ sessionId: session.id });
  return !messages.some(({ role, runId }) => role === "agent" && runId === run.id);
}

/**
 * The agent got its last prompt for a run that is over. If the run was ended before the agent, the agent is told now, and ended
 * if it does not obey.
 */
async function settleEarlierPrompt(
  { store }: Pick<RuntimeContext, "store">,
  agent: SessionAgent,
  { runId }: PromptNote,
): Promise<void> {
  const { live } = agent;
  if (live === null) return;
  const run = await store.readRun(runId);
  if (run?.status === "completed" || run?.status === "failed") {
    // Its reply was read before, and is read again.
    await live.agent.prompt({ parts: [], model: null }).catch(() => {});
    return;
  }
  if ((await live.agent.cancel()) === "ignored")
    await agent.stop("run_cancelled", { urgent: true });
}
