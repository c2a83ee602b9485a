import type { RunSettings } from "./settings/agent-settings.ts";
import type { AgentChoice } from "./choose-agent.ts";
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
export interface CurrentRun extends AgentChoice {
  readonly id: string;
  readonly messageId: string;
  readonly continuity: ContinuityPolicy;
  /** Absent if its message chooses no mode and no options. */
  readonly settings?: RunSettings;
  /**
   * The agent got the message or the latest answer. This is recorded before it happens: if the run is cut off
   * later, its outcome is unknown and it is not repeated. Before that it can safely continue.
   */
  readonly handed: boolean;
  /** How often an agent got the message or an answer. If it is above zero, an agent knows the message. */
  readonly attempts: number;
}

/** The runtime's choice when a slot for an agent is free. */
export interface RunStart extends AgentChoice {
  /** The agent is alive and gets the message right after the commit. */
  readonly handed: boolean;
}

/** The ways in which a run ends. */
export const RUN_OUTCOMES = ["completed", "failed", "cancelled", "interrupted"] as const;

export type RunResult =
  | { readonly outcome: "completed"; readonly stopReason: string }
  | { readonly outcome: "failed"; readonly error: RunError }
  | { readonly outcome: "cancelled"; readonly reason: string }
  | { readonly outcome: "interrupted"; readonly reason: string };

/** An action that was allowed, but apparently not done. */
export interface UnusedAnswer {
  readonly suspensionId: string;
  /** Names the action. */
  readonly title: string;
  readonly answer: Json;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  /** The end of the agent's stderr, if any. */
  readonly detail: string | null;
}

/** How the agent of a run knows the earlier messages. */
export type RunMemory =
  /** `live`: it took part in them. `none`: it does not know them. */
  | { readonly how: "live" | "none" }
  /** It resumed its own session, or a copy of its origin's, and got later messages of other agents as a text. */
  | { readonly how: "resumed" | "loaded" | "forked"; readonly given?: number; readonly of?: number }
  /** `told`: it gets the last messages with every prompt. `briefed`: it got them once as a text. */
  | { readonly how: "told" | "briefed"; readonly given: number; readonly of: number };

export const RUN_MEMORIES = [
  "live",
  "resumed",
  "loaded",
  "forked",
  "told",
  "briefed",
  "none",
] as const;

export type Usage = JsonObject;
