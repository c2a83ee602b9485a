import type { Json } from "../domain/json.ts";
import type { SessionRecord } from "./session-list.ts";

export interface RawSession {
  /** By column. */
  readonly row: Readonly<Record<string, string | number | null>>;
  /** Why the session cannot be read; null when it can. */
  readonly reason: string | null;
  /** What is known of a session that cannot be read. */
  readonly known: SessionRecord | null;
  /** Messages, runs and the like of the session that cannot be read: the first of them, and how many there are. */
  readonly parts: readonly UnreadablePart[];
  readonly partCount: number;
}

export interface UnreadablePart {
  readonly table: string;
  readonly id: string;
  readonly reason: string;
  readonly row: Json;
}

export interface UnreadableSessions {
  readonly total: number;
  readonly sessions: readonly { readonly id: string; readonly reason: string }[];
}
