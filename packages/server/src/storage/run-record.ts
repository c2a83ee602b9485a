import type { Json, JsonObject } from "../domain/json.ts";
import type { RunMemory, RunStatus, UnusedAnswer } from "../domain/run.ts";
import type { Suspension } from "../domain/suspension.ts";

export interface Run {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly status: RunStatus;
  readonly provider: string | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly stopReason: string | null;
  readonly error: Json;
  readonly usage: JsonObject | null;
  /** How its agent knew what was said before; null until it was given the message. */
  readonly memory: RunMemory | null;
  /** What was allowed and not done, as far as can be seen; told at its end. */
  readonly unusedAnswers: readonly UnusedAnswer[];
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface StoredSuspension extends Suspension {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: "open" | "answered" | "withdrawn" | "expired" | "released";
  readonly answer: Json;
  readonly answeredBy: string | null;
  readonly closedAt: number | null;
}

/** Of the last run of a session: nobody has dismissed them, or sent another message since. */
export interface ShownUnusedAnswer extends UnusedAnswer {
  readonly sessionId: string;
  readonly runId: string;
  /** When the run ended without it. */
  readonly at: number;
}

export interface RunSuspensionsQuery {
  readonly sessionId: string;
  readonly runIds: readonly string[];
  readonly perRun: number;
}

/** A suspension without what can be long: what was asked, and an answer of more than a line. */
export type RunSuspension = Omit<
  StoredSuspension,
  "request" | "fingerprint" | "expiresAt" | "sessionId"
>;
