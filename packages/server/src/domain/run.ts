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

/** The run a session is busy with: one agent at work on one message. */
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
  /** How often the agent has been given the message, or an answer. More than none: it knows of it. */
  readonly attempts: number;
}

/** What the runtime decided when a place for an agent was free. */
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

/** An action that was allowed and that no agent took up afterwards, as far as can be seen. */
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

/** How the agent of a run came to know what was said before it. */
export type RunMemory =
  /** It was there; it knows nothing. */
  | { readonly how: "live" | "none" }
  /** It took its own session up again. Where others worked since, it was given the messages since as a text. */
  | { readonly how: "resumed" | "loaded"; readonly given?: number; readonly of?: number }
  /** It is given the last messages each time; it was given them as a text. */
  | { readonly how: "told" | "briefed"; readonly given: number; readonly of: number };

export const RUN_MEMORIES = ["live", "resumed", "loaded", "told", "briefed", "none"] as const;

export type Usage = JsonObject;
