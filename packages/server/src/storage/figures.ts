import type { JsonObject } from "../domain/json.ts";
import type { Outcome, Phase, PhaseChange } from "../domain/phase.ts";
import type { RunResult } from "../domain/run.ts";
import type { State, Status } from "../domain/status.ts";
import type { ListPosition } from "./store.ts";

export interface FiguresQuery {
  /** Sessions that lived at or after, and before; their runs by the time of their end. */
  readonly from?: number;
  readonly to?: number;
  readonly after?: ListPosition;
  /** Sessions looked at, at most. */
  readonly limit: number;
}

export interface FiguresPage {
  /** Those of the sessions looked at whose life, from creation to last activity, overlaps the range, or that were closed in it. */
  readonly sessions: readonly SessionFigures[];
  readonly next: ListPosition | null;
}

export interface SessionFigures {
  readonly id: string;
  readonly agentName: string | null;
  readonly createdAt: number;
  /** When and how it was finalized, within the range. */
  readonly finalized: { readonly at: number; readonly outcome: Outcome } | null;
  /** When it was finalized, archived or failed, whichever came first, whenever that was. */
  readonly closedAt: number | null;
  readonly phase: Phase;
  /** The last changes of its phase, in the range or not. */
  readonly phaseHistory: readonly PhaseChange[];
  /** All its errors, whenever they were: failed runs and reported ones. */
  readonly errorTotal: number;
  /** When errors were reported in the range. Of a session that came from elsewhere, only those since. */
  readonly errorsAt: readonly number[];
  /** False for one that only tracks what somebody else's agent does. */
  readonly hasRuns: boolean;
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
