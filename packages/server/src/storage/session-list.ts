import type { Role } from "../domain/message.ts";
import type { Phase } from "../domain/phase.ts";
import type { Session } from "../domain/session.ts";
import type { State, Status } from "../domain/status.ts";
import type { Suspension } from "../domain/suspension.ts";
import type { Excerpt } from "./search/excerpt.ts";

export interface SessionQuery {
  readonly repoId?: string;
  readonly statuses?: readonly Status[];
  readonly states?: readonly State[];
  readonly phase?: Phase;
  readonly agentName?: string;
  /** Of a message that chooses none: the preference, else that of the last run; null is neither. */
  readonly providers?: readonly (string | null)[];
  /** Words that the title, the purpose or a message has, each as a prefix. */
  readonly search?: string;
  /** Active at or after, and created before: what lived in the range, from its creation to its last activity. */
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
  readonly offset?: number;
  /** Where the last page ended; cheaper than an offset and steady while sessions are added. */
  readonly after?: ListPosition;
}

export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  readonly total: number;
  /** Where the next page begins, if there is one. */
  readonly next: ListPosition | null;
  readonly counts: SessionCounts;
  /** Of a search: of each session on the page one message that has the words, if any has. */
  readonly hits: readonly SearchHit[];
}

export interface SearchHit {
  readonly sessionId: string;
  readonly messageId: string;
  readonly role: Role;
  /** Of its content; null when it is too long to be looked through, or cannot be read. */
  readonly type: string | null;
  /** Of what the message says; nothing when it is too long to be looked through. */
  readonly excerpt: Excerpt;
}

export type SessionCounts = Readonly<Record<Status | "badge", number>>;

/** A session as lists show it: what one row and its open suspensions say. */
export interface SessionRecord extends Omit<Session, "standing" | "queue"> {
  readonly status: Status;
  readonly state: State;
  readonly suspensions: readonly Suspension[];
  readonly queued: number;
  readonly failure: string | null;
  readonly suspendedAt: number | null;
  /** Why a suspended session cannot go on; null while only the server is away. */
  readonly suspendedReason: string | null;
  readonly archivedAt: number | null;
  readonly failedAt: number | null;
  /** When retention removes it, if nothing happens to it before; null when it never does. */
  readonly removeAt: number | null;
  /** Counts the decisions about the session; what a change names as the one it was decided on. */
  readonly version: number;
  /** The last sequence number of its log. */
  readonly lastSeq: number;
}

export type ReadSession =
  | { readonly found: "session"; readonly record: SessionRecord }
  | { readonly found: "nothing" }
  | { readonly found: "unreadable"; readonly reason: string };
