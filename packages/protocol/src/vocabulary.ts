/**
 * The parts of the protocol that need no schema. The page imports only these, so that its bundle does not
 * include the schemas and zod.
 */

/** The session's lifecycle as the user sees it. */
export const STATUSES = ["active", "suspended", "archived", "error"] as const;

/** The session's current activity. */
export const STATES = ["idle", "running", "suspended"] as const;

/** The kind of work the agent reports. */
export const PHASES = [
  "initializing",
  "investigating",
  "planning",
  "approval",
  "executing",
  "validating",
  "completed",
  "failed",
  "abandoned",
] as const;

export const ROLES = ["user", "agent", "system"] as const;
type Role = (typeof ROLES)[number];

/** IDs that other systems chose are accepted: printable ASCII characters without spaces. */
export const ID_PATTERN = /^[!-~]{1,200}$/u;

/** The number of phase changes a session keeps; the log has all of them. */
export const PHASE_HISTORY_KEPT = 200;

/** Adds the duration of the phase that each change ended; null when its start is no longer known. */
export function withDurations<Change extends { readonly at: string }>(
  changes: readonly Change[],
  createdAt: string,
): readonly (Change & { readonly durationMs: number | null })[] {
  // The first phase began with the session, unless older changes were dropped.
  let before = changes.length < PHASE_HISTORY_KEPT ? Date.parse(createdAt) : null;
  return changes.map((change) => {
    const began = before;
    before = Date.parse(change.at);
    const durationMs = began === null ? null : Math.max(0, before - began);
    return { ...change, durationMs };
  });
}

/** The author of a message: plans and tool calls have the role `system`, as notices do, but come from the agent. */
export function authorOf({
  role,
  content: { type },
}: {
  readonly role: Role;
  readonly content: { readonly type: string };
}): Role {
  return role === "system" && (type === "plan" || type === "tool") ? "agent" : role;
}

/** The media type of a bundle, which is an exported session: one JSON value per line. */
export const BUNDLE_MEDIA_TYPE = "application/jsonl";

/** Of the output of a tool call: `file` or `stored`, and the bytes that are left out. */
export const OUTPUT_SOURCE_HEADER = "x-holdfast-output";
export const OUTPUT_OMITTED_HEADER = "x-holdfast-omitted-bytes";

/** The header with the key of a browser. Its cookie is of no use without the key. */
export const BROWSER_KEY_HEADER = "x-holdfast-key";
