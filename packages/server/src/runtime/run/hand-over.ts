import { chooseAgent } from "../../domain/choose-agent.ts";
import { defined } from "../../domain/defined.ts";
import type { QueueEntry } from "../../domain/delivery.ts";
import type { Command } from "../../domain/kernel/command.ts";
import type { CurrentRun, RunMemory } from "../../domain/run.ts";
import { currentRunOf, stateOf, type Session } from "../../domain/session.ts";
import type { FileSnapshot } from "../../domain/files/working-files.ts";
import type { Fence } from "../../storage/store.ts";
import { budgetIn } from "../budget.ts";
import type { AgentReservation, ReservedRun, RuntimeContext } from "../context.ts";
import type { SendMessage } from "../runtime.ts";

/*
 * A run is stored as handed over before its agent gets the message or an answer. A run that was handed over and lost its
 * agent has an unknown outcome: it is never handed over again, but ended as interrupted.
 *
 * There are two ways to store it:
 *
 * - With the message, in one commit, when the session's agent is alive and idle. The sender reserves the agent first
 *   (`reserveAgent`), decides at the commit whether the run really starts at once (`canStartHanded`), and the worker
 *   prompts the agent after the commit. If the agent ends in between, it has not seen the message, and the run goes back
 *   to the queue (`takeBack`).
 * - By a commit of its own (`storeHandOver`): for an agent that was just started, for a further try, and for an answer.
 */

/** Reserves the session's idle agent for the run of a message. Null when there is none, or it must not get this message. */
export function reserveAgent(
  context: Pick<RuntimeContext, "reserveAgent">,
  { sessionId, continuity, delivery }: SendMessage,
  run: ReservedRun,
): AgentReservation | null {
  // The agent would remember, or has to be interrupted first.
  if (continuity === "off" || delivery === "interrupt") return null;
  return context.reserveAgent(sessionId, run);
}

/** Whether a message to the session starts at once, and needs no question about the budget first. */
export function canStartHanded(session: Session | null): boolean {
  if (session === null || session.standing.status !== "active") return false;
  const isFree = stateOf(session) === "idle" && session.queue.length === 0;
  const isOpen = session.delivery === "open" && session.rewind?.status !== "restoring";
  return isFree && isOpen && budgetIn(session.metadata) === null;
}

/** Starts the run of a message in the queue. Its agent has yet to be found. */
export function startRun(
  { clock, defaultProvider }: RuntimeContext,
  session: Session,
  entry: QueueEntry,
): Command {
  const choice = chooseAgent(entry, { session, defaultProvider: defaultProvider() });
  const start = { ...choice, handed: false };
  return { type: "start-run", at: clock(), runId: entry.runId, start };
}

/** The run as it was before it was stored as handed over: its agent has yet to get the message. */
export function beforeHandOver(run: CurrentRun): CurrentRun {
  return { ...run, attempts: run.attempts - 1 };
}

/** Puts a run back into the queue whose reserved agent ended before it got the message. */
export function takeBack(
  session: Session | null,
  at: number,
  reservedRunId: string | null,
): readonly Command[] {
  const run = session === null ? null : currentRunOf(session);
  return run !== null && run.id === reservedRunId && run.handed
    ? [{ type: "requeue-run", at, runId: run.id }]
    : [];
}

/** A run that this process works on. */
export interface RunAtWork {
  readonly sessionId: string;
  readonly run: CurrentRun;
  readonly fence: Fence;
  /** Aborted when the work on the run must end: cancelled, evicted, or the server stops. */
  readonly signal: AbortSignal;
}

export interface HandOverOptions {
  readonly memory?: RunMemory;
  /** The files before the run; null or absent if they are not known. */
  readonly before?: FileSnapshot | null;
  /** Refuses the hand-over as `changed` when the session has another version. */
  readonly version?: number;
}

/** Stores that the agent is about to be prompted or answered. Refused when the run is over or its agent is being ended. */
export async function storeHandOver(
  context: RuntimeContext,
  { sessionId, run, fence, signal }: RunAtWork,
  { memory, before = null, version }: HandOverOptions = {},
): Promise<"handed" | "refused" | "changed"> {
  if (signal.aborted) return "refused";
  // A busy agent keeps its slot; until now it may only have waited.
  context.slots.use(sessionId, "busy");
  context.failpoint("run.handing");
  const at = context.clock();
  const hand: Command = { type: "hand-run", at, runId: run.id, ...defined({ memory }) };
  const stored = await context.execute({
    sessionId,
    command: before === null ? hand : [hand, recordBefore(run.id, at, before)],
    extras: { fence },
    version,
  });
  context.failpoint("run.handed");
  if (stored.ok) return "handed";
  context.slots.use(sessionId, "waiting");
  return "refused" in stored && stored.refused === "version_mismatch" ? "changed" : "refused";
}

export function recordBefore(runId: string, at: number, before: FileSnapshot): Command {
  return { type: "record-files", at, record: { runId, before } };
}
