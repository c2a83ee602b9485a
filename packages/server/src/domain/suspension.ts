import type { Json, JsonObject } from "./json.ts";

export const SUSPENSION_KINDS = [
  "permission",
  "question",
  "tool_result",
  "event",
  "rate_limit",
  "budget",
  "shutdown",
] as const;
export type SuspensionKind = (typeof SUSPENSION_KINDS)[number];

/** What a run waits for. It is on disk as long as it is open, whatever becomes of the agent. */
export interface Suspension {
  readonly id: string;
  readonly kind: SuspensionKind;
  /** What was asked, structured as its kind requires; shown to people and replayed to agents. */
  readonly request: JsonObject;
  /** Tool and canonical input of a permission, so that a later answer is applied to that call only. */
  readonly fingerprint: string | null;
  readonly createdAt: number;
  /** When it closes by itself, as a rejection; null waits for ever. */
  readonly expiresAt: number | null;
}

export const CLOSINGS = ["answered", "withdrawn", "expired", "released"] as const;

export type Closing =
  | { readonly how: "answered"; readonly answer: Json; readonly by: string | null }
  | { readonly how: "withdrawn" }
  | { readonly how: "expired" }
  | { readonly how: "released" };
