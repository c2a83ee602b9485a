import type { JsonObject } from "../domain/json.ts";
import type { Outcome } from "../domain/phase.ts";
import type { RunResult } from "../domain/run.ts";
import type { State, Status } from "../domain/status.ts";
import type { ListPosition } from "./store.ts";

export interface FiguresQuery {
  /** Runs that ended, and sessions made or finalized, at or after, and before. */
  readonly from?: number;
  readonly to?: number;
  readonly after?: ListPosition;
  /** Sessions looked at. */
  readonly limit: number;
}

export interface FiguresPage {
  /** Those of the sessions looked at that have something in the range. */
  readonly sessions: readonly SessionFigures[];
  readonly next: ListPosition | null;
}

export interface SessionFigures {
  readonly id: string;
  readonly agentName: string | null;
  readonly createdAt: number;
  /** When and how it was finalized, within the range. */
  readonly finalized: { readonly at: number; readonly outcome: Outcome } | null;
  /** Those that were started, and ended in the range; first asked for first. */
  readonly runs: readonly RunFigures[];
}

export interface RunFigures {
  readonly provider: string | null;
  readonly outcome: RunResult["outcome"];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly usage: JsonObject | null;
  /** It was interrupted, and another run of the session was started since. */
  readonly wentOn: boolean;
}

export interface Tally {
  /** Pairs that there are none of are left out. */
  readonly sessions: readonly {
    readonly status: Status;
    readonly state: State;
    readonly count: number;
  }[];
  readonly queuedMessages: number;
}
