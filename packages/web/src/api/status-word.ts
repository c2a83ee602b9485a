import type { Session } from "@holdfast/protocol";
import { isForPerson } from "./for-person.ts";

/** The one word for where a session stands: in lists, headers, the inbox, the palette and comparisons. */
export type StatusWord =
  | "New"
  | "Queued"
  | "Running"
  | "Needs you"
  | "Waiting"
  | "Done"
  | "Failed"
  | "Interrupted"
  | "Stopped"
  | "Paused"
  | "Archived";

export type Standing = Pick<
  Session,
  "status" | "state" | "queued" | "lastTurn" | "suspensions" | "suspendedReason"
>;

const AFTER_A_RUN = {
  completed: "Done",
  failed: "Failed",
  cancelled: "Stopped",
  interrupted: "Interrupted",
} as const satisfies Record<NonNullable<Session["lastTurn"]["outcome"]>, StatusWord>;

export function statusWord(session: Standing): StatusWord {
  const { status, state, queued, lastTurn, suspensions, suspendedReason } = session;
  if (status === "archived") return "Archived";
  if (status === "error") return "Failed";
  if (state === "running") return "Running";
  if (state === "suspended") return suspensions.some(isForPerson) ? "Needs you" : "Waiting";
  if (suspendedReason !== null) return "Paused";
  if (queued > 0) return "Queued";
  return lastTurn.outcome === null ? "New" : AFTER_A_RUN[lastTurn.outcome];
}
