import type { ContinuityPolicy } from "./delivery.ts";
import type { Json, JsonObject } from "./json.ts";

export const RUN_STATUSES = [
  "queued",
  "running",
  "suspended",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The session's current run: one agent working on one message. */
export interface CurrentRun {
  readonly id: string;
  readonly messageId: string;
  readonly provider: string;
  readonly model: string | null;
  readonly continuity: ContinuityPolicy;
  /**
   * The agent has been given the message, or the latest answer. Recorded before it happens: a run
   * cut while `handed` has an unknown outcome and is not repeated; one cut before can safely go on.
   */
  readonly handed: boolean;
  /** How often an agent got the message or an answer. Above zero, an agent knows the message. */
  readonly attempts: number;
}

/** The runtime's choice when a slot for an agent is free. */
export interface RunStart {
  readonly provider: string;
  readonly model: string | null;
  /** The agent is alive and is given the message right after the commit. */
  readonly handed: boolean;
}

export type RunResult =
  | { readonly outcome: "completed"; readonly stopReason: string }
  | { readonly outcome: "failed"; readonly error: RunError }
  | { readonly outcome: "cancelled"; readonly reason: string }
  | { readonly outcome: "interrupted"; readonly reason: string };

/** An action that was allowed and, as far as can be seen, never done. */
export interface UnusedAnswer {
  readonly suspensionId: string;
  /** Names the action. */
  readonly title: string;
  readonly answer: Json;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  /** The tail of the agent's stderr, where there is one. */
  readonly detail: string | null;
}

/** How the agent of a run knows the earlier messages. */
export type RunMemory =
  /** `live`: it took part. `none`: it knows nothing. */
  | { readonly how: "live" | "none" }
  /** It resumed its own session, and got later messages of other agents as a text. */
  | { readonly how: "resumed" | "loaded"; readonly given?: number; readonly of?: number }
  /** `told`: it gets the last messages with every prompt. `briefed`: it got them once as a text. */
  | { readonly how: "told" | "briefed"; readonly given: number; readonly of: number };

export const RUN_MEMORIES = ["live", "resumed", "loaded", "told", "briefed", "none"] as const;

export type Usage = JsonObject;
