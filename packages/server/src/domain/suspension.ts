import type { Json, JsonObject } from "./json.ts";

export const SUSPENSION_KINDS = [
  "permission",
  "question",
  "elicitation",
  "tool_result",
  "event",
  "rate_limit",
  "budget",
  "login",
  "shutdown",
] as const;
export type SuspensionKind = (typeof SUSPENSION_KINDS)[number];

/** A request that a run waits for. It stays on disk while it is open, even if the agent ends. */
export interface Suspension {
  readonly id: string;
  readonly kind: SuspensionKind;
  /** The content depends on the kind. It is shown to people and sent to agents again. */
  readonly request: JsonObject;
  /** The tool and canonical input of a permission, so that a later answer applies only to that call. */
  readonly fingerprint: string | null;
  readonly createdAt: number;
  /** When it expires, which counts as a rejection; null if it never does. */
  readonly expiresAt: number | null;
}

export const CLOSINGS = ["answered", "withdrawn", "expired", "released"] as const;

export type Closing =
  | { readonly how: "answered"; readonly answer: Json; readonly by: string | null }
  | { readonly how: "withdrawn" }
  | { readonly how: "expired" }
  | { readonly how: "released" };
