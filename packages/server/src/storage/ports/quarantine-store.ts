import type { Json } from "../../domain/json.ts";
import type { SetAsideRow } from "../tables.ts";
import type { SessionRecord } from "./session-store.ts";

/** Rows that cannot be read. They are reported, kept and left out of lists. */
export interface QuarantineStore {
  listQuarantined(): Promise<readonly QuarantinedRow[]>;
  /** The stored row of a session, readable or not. */
  readRaw(sessionId: string): Promise<RawSession | null>;
  /** Unreadable sessions, oldest first. */
  unreadableSessions(query: { readonly limit: number }): Promise<UnreadableSessions>;
}

export type QuarantinedRow = Readonly<Omit<SetAsideRow, "tableName">> & { readonly table: string };

export interface RawSession {
  /** Values by column. */
  readonly row: Readonly<Record<string, string | number | null>>;
  /** Why the session cannot be read; null when it can. */
  readonly reason: string | null;
  /** The readable part of an unreadable session. */
  readonly known: SessionRecord | null;
  /** The first unreadable messages, runs and other rows of the session. */
  readonly parts: readonly UnreadablePart[];
  /** Number of unreadable rows, including those not in `parts`. */
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
