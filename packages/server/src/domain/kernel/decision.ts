import type { SessionEvent } from "./event.ts";
import type { Refusal, RefusalCode } from "./refusal.ts";
import { stateOf, statusOf, type Session } from "../session.ts";

export type Decision =
  | { readonly ok: true; readonly events: readonly SessionEvent[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** The command is a retry, or its effect already exists. */
export const NOTHING_TO_DO: Decision = { ok: true, events: [] };

export function accept(...events: readonly SessionEvent[]): Decision {
  return { ok: true, events };
}

export function refuse(session: Session | null, code: RefusalCode, message: string): Decision {
  return {
    ok: false,
    refusal: {
      code,
      message,
      status: session === null ? null : statusOf(session),
      state: session === null ? null : stateOf(session),
    },
  };
}

/** Archived and failed sessions accept no more work. */
export function refuseIfFinal(session: Session): Decision | null {
  switch (session.standing.status) {
    case "active":
    case "suspended":
      return null;
    case "archived":
      return refuse(
        session,
        "session_archived",
        "The session is archived. Fork it to continue from its history.",
      );
    case "error":
      return refuse(
        session,
        "session_failed",
        `The session failed: ${session.standing.reason}. Fork it to continue from its history.`,
      );
    default:
      return session.standing satisfies never;
  }
}
