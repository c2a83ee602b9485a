import type { QueueEntry } from "../../domain/delivery.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import type { CurrentRun } from "../../domain/run.ts";
import { currentRunOf, type Session } from "../../domain/session.ts";
import type { Rewind } from "../../domain/files/working-files.ts";
import type { LossReason } from "../cluster/node-lease.ts";
import type { CutRun } from "../run/cut-run.ts";

/**
 * The states of a session's worker, and what it does next. Pure: `SessionWorker` carries the steps out.
 *
 *            reserve                 hand over
 *      ┌───────────────▶ reserved ───────────────┐
 *      │                    │                    │
 *      │ ┌── not handed ────┘                    │
 *      │ ▼                                       ▼
 *  ──▶ free ──────────────── begin ───────────▶ working ──┐
 *        ▲                                       │        │ cancelled, evicted,
 *        ├────────────── the work ends ──────────┘        │ or lost to another node
 *        └────────────── the work ends ─────── leaving ◀──┘
 *
 *  each of these ── stop ──▶ stopping ── the agent has ended ──▶ stopped
 *
 * A worker may be dropped while it is free and has no agent. Every other state but `stopped` has something under way
 * whose end makes the worker look at its session again.
 */
export type WorkerState<Work extends AnyWork> =
  /** No run is worked on. `cut`: the run that lost its agent last, until it is recorded as ended. */
  | { readonly is: "free"; readonly cut: CutRun | null }
  /** The idle agent is kept for a message that is stored together with its hand-over. */
  | { readonly is: "reserved"; readonly runId: string; readonly commit: ReservationCommit }
  | { readonly is: "working"; readonly work: Work }
  /** The work was told to end and has not ended yet. No other work may begin before. */
  | { readonly is: "leaving"; readonly work: Work; readonly cut: CutRun | null }
  | { readonly is: "stopping"; readonly work: Work | null; readonly reservedRunId: string | null }
  | { readonly is: "stopped" };

/** `over`: the commit succeeded or failed. `visible`: the session was read after that. */
type ReservationCommit = "open" | "over" | "visible";

export interface AnyWork {
  readonly runId: string;
}

export const FREE = { is: "free", cut: null } as const;

export function workOf<Work extends AnyWork>(state: WorkerState<Work>): Work | null {
  return "work" in state ? state.work : null;
}

export function isStopping(state: WorkerState<AnyWork>): boolean {
  return state.is === "stopping" || state.is === "stopped";
}

/** False also while a message is being stored with a hand-over to the agent: that run may come first. */
export function canBegin(state: WorkerState<AnyWork>, runId: string): boolean {
  return state.is === "free" || (state.is === "reserved" && state.runId === runId);
}

export type WorkerEvent<Work extends AnyWork> =
  | { readonly type: "reserve"; readonly runId: string }
  /** The commit of the reserved run succeeded or failed. */
  | { readonly type: "end-commit"; readonly runId: string }
  /** The stored session is about to be read. */
  | { readonly type: "begin-look" }
  | { readonly type: "end-look"; readonly session: Session | null }
  | { readonly type: "begin-work"; readonly work: Work }
  /** `why` is recorded with the run if nobody else takes it over. */
  | { readonly type: "leave-work"; readonly why: LossReason | null }
  /** `cut` is set when the work broke off and could not record that. */
  | { readonly type: "end-work"; readonly work: Work; readonly cut: CutRun | null }
  | { readonly type: "stop" }
  | { readonly type: "end-stop" };

/** The arrows of the diagram. An event that has no arrow from a state leaves the state as it is. */
export function transition<Work extends AnyWork>(
  state: WorkerState<Work>,
  event: WorkerEvent<Work>,
): WorkerState<Work> {
  switch (event.type) {
    case "reserve":
      return state.is === "free" ? { is: "reserved", runId: event.runId, commit: "open" } : state;
    case "end-commit":
      return state.is === "reserved" && state.runId === event.runId
        ? { ...state, commit: "over" }
        : state;
    case "begin-look":
      return state.is === "reserved" && state.commit === "over"
        ? { ...state, commit: "visible" }
        : state;
    case "end-look":
      if (state.is !== "reserved" || state.commit !== "visible") return state;
      return isHanded(event.session, state.runId) ? state : FREE;
    case "begin-work":
      return canBegin(state, event.work.runId) ? { is: "working", work: event.work } : state;
    case "leave-work":
      return leaveWork(state, event.why);
    case "end-work":
      return workOf(state) === event.work ? endWork(state, event.cut) : state;
    case "stop": {
      const reservedRunId = state.is === "reserved" ? state.runId : null;
      return isStopping(state) ? state : { is: "stopping", work: workOf(state), reservedRunId };
    }
    case "end-stop":
      return state.is === "stopping" ? { is: "stopped" } : state;
    default:
      return event satisfies never;
  }
}

function leaveWork<Work extends AnyWork>(
  state: WorkerState<Work>,
  why: LossReason | null,
): WorkerState<Work> {
  if (state.is !== "working" && state.is !== "leaving") return state;
  const { work } = state;
  const earlier = state.is === "leaving" ? state.cut : null;
  return { is: "leaving", work, cut: why === null ? earlier : { runId: work.runId, why } };
}

function endWork<Work extends AnyWork>(
  state: WorkerState<Work>,
  cut: CutRun | null,
): WorkerState<Work> {
  if (state.is === "stopping") return { ...state, work: null };
  return { is: "free", cut: cut ?? (state.is === "leaving" ? state.cut : null) };
}

/** The facts besides the stored session that decide on the next step. */
export interface Surroundings {
  /** This node may work on sessions. */
  readonly holdsLease: boolean;
  /** `lost`: this node owned the session, and another node has claimed it since. */
  readonly owner: "this_node" | "other_node" | "nobody" | "lost";
  /** This node may start an agent for the session. */
  readonly mayBegin: boolean;
  /** The live agent is idle, knows the session and is of the current run's provider. */
  readonly isAgentReady: boolean;
  /** An earlier server has left an agent of the session. */
  readonly hasFound: boolean;
  /** Other sessions wait for a slot, and this one has had its share. */
  readonly mustYield: boolean;
}

export type Step<Work extends AnyWork> =
  | { readonly do: "nothing" }
  | { readonly do: "look-later" }
  /** Ends all work on a session that another node owns now. */
  | { readonly do: "give-up" }
  /** Ends a leftover agent of a session that another node owns. */
  | { readonly do: "leave-alone" }
  /** Ends the agent of a session that is closed or deleted. */
  | { readonly do: "clear"; readonly isDeleted: boolean }
  /** Keeps the agent, if there is one, until it has been idle for too long. */
  | { readonly do: "rest"; readonly use: "idle" | "waiting"; readonly until: number | null }
  /** The work goes on. It learns what was answered. */
  | {
      readonly do: "continue";
      readonly work: Work;
      readonly isBusy: boolean;
      readonly until: number | null;
    }
  /** Goes on with the agent that an earlier server has left. */
  | { readonly do: "take-up"; readonly session: Session | null }
  /** Settles messages that were to steer a run on which no agent works. */
  | { readonly do: "drop-steering"; readonly session: Session; readonly run: CurrentRun }
  /** Ends work on a run that is no longer the session's. */
  | { readonly do: "wind-down"; readonly work: Work; readonly atOnce: boolean }
  | { readonly do: "leave-to-others"; readonly session: Session }
  | { readonly do: "yield-slot" }
  /** Ends the agent and changes the working files as a rewind wants them. */
  | { readonly do: "restore"; readonly session: Session; readonly rewind: Rewind }
  | { readonly do: "start-run"; readonly session: Session; readonly entry: QueueEntry }
  /** Works on the run with an agent that may have to be started. */
  | { readonly do: "work"; readonly session: Session; readonly run: CurrentRun }
  /** Gives the reserved agent the run that is stored as handed over to it. */
  | { readonly do: "hand-over"; readonly session: Session; readonly run: CurrentRun }
  /** Puts the run back into the queue: its agent ended before it got the message. */
  | { readonly do: "take-back"; readonly session: Session; readonly run: CurrentRun }
  /** Ends the run: it was handed over, and its agent is gone. */
  | {
      readonly do: "cut-off";
      readonly session: Session;
      readonly run: CurrentRun;
      readonly cut: CutRun | null;
    };

export type StepTo<Do extends Step<AnyWork>["do"], Work extends AnyWork> = Extract<
  Step<Work>,
  { do: Do }
>;

const NOTHING = { do: "nothing" } as const;

/** The next step of a worker in this state, for the stored session. */
export function nextStep<Work extends AnyWork>(
  state: WorkerState<Work>,
  session: Session | null,
  around: Surroundings,
): Step<Work> {
  if (state.is === "stopping" || state.is === "stopped") return NOTHING;
  if (!around.holdsLease) return { do: "look-later" };
  if (around.owner === "lost") return { do: "give-up" };
  if (around.owner === "other_node") return { do: "leave-alone" };
  switch (state.is) {
    case "leaving":
      return NOTHING;
    case "working":
      return stepOfWork(state.work, session);
    case "reserved":
      if (isHanded(session, state.runId)) break;
      return state.commit === "visible" ? stepWithoutWork(FREE, session, around) : NOTHING;
    case "free":
      if (around.hasFound) return { do: "take-up", session };
      break;
    default:
      state satisfies never;
  }
  return stepWithoutWork(state, session, around);
}

function stepOfWork<Work extends AnyWork>(work: Work, session: Session | null): Step<Work> {
  const duty = dutyOf(session);
  const isCurrent = (duty.do === "drive" || duty.do === "await") && duty.runId === work.runId;
  if (!isCurrent) return { do: "wind-down", work, atOnce: duty.do === "clear" };
  return duty.do === "drive"
    ? { do: "continue", work, isBusy: true, until: null }
    : { do: "continue", work, isBusy: false, until: duty.until };
}

function stepWithoutWork(
  state: Extract<WorkerState<never>, { is: "free" | "reserved" }>,
  session: Session | null,
  around: Surroundings,
): Step<never> {
  if (session === null) return { do: "clear", isDeleted: true };
  const current = currentRunOf(session);
  if (current !== null && session.queue.some(({ steer }) => steer !== undefined))
    return { do: "drop-steering", session, run: current };
  const duty = dutyOf(session);
  switch (duty.do) {
    case "clear":
      return { do: "clear", isDeleted: false };
    case "rest":
      return { do: "rest", use: "idle", until: null };
    case "await":
      return { do: "rest", use: "waiting", until: duty.until };
    case "restore":
      if (!around.mayBegin) return { do: "leave-to-others", session };
      return { do: "restore", session, rewind: duty.rewind };
    case "start": {
      const [entry] = session.queue;
      if (entry === undefined) return NOTHING;
      if (!around.mayBegin) return { do: "leave-to-others", session };
      return around.mustYield ? { do: "yield-slot" } : { do: "start-run", session, entry };
    }
    case "drive": {
      const run = currentRunOf(session);
      if (run === null) return NOTHING;
      if (!run.handed)
        return around.mayBegin ? { do: "work", session, run } : { do: "leave-to-others", session };
      if (state.is === "free") return { do: "cut-off", session, run, cut: state.cut };
      const canHandOver = around.isAgentReady && around.owner === "this_node";
      return { do: canHandOver ? "hand-over" : "take-back", session, run };
    }
    default:
      return duty satisfies never;
  }
}

function isHanded(session: Session | null, runId: string): boolean {
  const run = session === null ? null : currentRunOf(session);
  return run !== null && run.id === runId && run.handed;
}
