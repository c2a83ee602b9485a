import type { JsonObject } from "../../domain/json.ts";
import type { Outcome, Phase, PhaseChange } from "../../domain/phase.ts";
import type { RunResult } from "../../domain/run.ts";
import type { State, Status } from "../../domain/status.ts";
import type { ListPosition } from "./session-store.ts";

export interface StatsStore {
  /** Facts about sessions and their runs, one page of sessions at a time. */
  readFigures(query: FiguresQuery): Promise<FiguresPage>;
  /** Number of sessions by status and state. The cost depends on the number of busy sessions only. */
  tally(): Promise<Tally>;
}

export interface FiguresQuery {
  /** Start (included) and end (excluded) of the range. Runs count by the time they ended. */
  readonly from?: number;
  readonly to?: number;
  readonly after?: ListPosition;
  /** Maximum number of sessions examined. */
  readonly limit: number;
}

export interface FiguresPage {
  /** Examined sessions whose life, from creation to last activity, overlaps the range, or that were closed in it. */
  readonly sessions: readonly SessionFigures[];
  readonly next: ListPosition | null;
}

export interface SessionFigures {
  readonly id: string;
  readonly agentName: string | null;
  readonly createdAt: number;
  /** When and how the session was finalized, if that was in the range. */
  readonly finalized: { readonly at: number; readonly outcome: Outcome } | null;
  /** When the session was first finalized, archived or failed, at any time. */
  readonly closedAt: number | null;
  readonly phase: Phase;
  /** The latest changes of its phase, at any time. */
  readonly phaseHistory: readonly PhaseChange[];
  /** Number of errors at any time: failed runs and reported errors. */
  readonly errorTotal: number;
  /** Times of the errors reported in the range. An imported session has only those since its import. */
  readonly errorsAt: readonly number[];
  /** False for a session that only tracks an external agent. */
  readonly hasRuns: boolean;
  /** Started runs that ended in the range, sorted by the time they were queued. */
  readonly runs: readonly RunFigures[];
}

export interface RunFigures {
  readonly provider: string | null;
  readonly outcome: RunResult["outcome"];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly usage: JsonObject | null;
  /** The run was interrupted, and a later run of the session started. */
  readonly wentOn: boolean;
}

export interface Tally {
  /** Pairs without sessions are absent. */
  readonly sessions: readonly {
    readonly status: Status;
    readonly state: State;
    readonly count: number;
  }[];
  readonly queuedMessages: number;
}
