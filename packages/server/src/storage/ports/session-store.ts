import type { SessionEvent } from "../../domain/kernel/event.ts";
import type { MessageContent, Role } from "../../domain/message.ts";
import type { Phase } from "../../domain/phase.ts";
import type { RunResult } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { State, Status } from "../../domain/status.ts";
import type { Suspension } from "../../domain/suspension.ts";
import type { Excerpt } from "../search/excerpt.ts";
import type { IdempotencyKey, RememberedAnswer } from "./answer-store.ts";
import type { Fence } from "./node-store.ts";
import type { Run } from "./run-store.ts";
import type { SessionWorkspace } from "../../domain/files/session-folder.ts";
import type { LogEntry, NewMessage } from "./transcript-store.ts";

/** Sessions: load one, change one, list many. */
export interface SessionStore {
  load(sessionId: string): Promise<Loaded>;
  /** Stores kernel events and the session they produce, all or nothing, unless another writer was first. */
  commit(change: Change): Promise<Committed | CommitRefused>;
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Cheaper than `load`: reads no queue and no run. */
  readSession(sessionId: string): Promise<ReadSession>;
  /** The same for a session that is already loaded, without a read. */
  recordOf(stored: StoredSession): SessionRecord;
  /** Returns the ID of the session with this ID or agent ID. */
  findSession(name: string): Promise<string | null>;
  /** The same for many names. A name without a session is absent from the map. */
  findSessions(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Sessions that a node should be working on, or was working on when it died. */
  unsettledSessions(): Promise<readonly string[]>;
  /** The newest sessions of a repository whose agents work. Every run asks, so it is a small read. */
  sessionsAtWork(query: {
    readonly repoId: string;
    readonly limit: number;
  }): Promise<readonly SessionAtWork[]>;
  /** The last sequence number of each session's log. A missing session is absent from the map. */
  lastSeqs(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface SessionAtWork extends Pick<Session, "id" | "title"> {
  /** Where it works: see `SessionWorkspace`. */
  readonly kind: SessionWorkspace["kind"];
}

export type Loaded = { readonly found: "session"; readonly stored: StoredSession } | Unloaded;

export type Unloaded =
  | { readonly found: "nothing" }
  | { readonly found: "unreadable"; readonly reason: string };

export interface StoredSession {
  readonly session: Session;
  readonly version: number;
  readonly lastSeq: number;
  readonly owner: string | null;
  readonly epoch: number;
  /** How much of the output of its agent is stored; null if no agent of it outlived a server. */
  readonly agentCursor: string | null;
}

export interface Change {
  /** The session that was loaded and decided on; null creates one. */
  readonly before: StoredSession | null;
  readonly events: readonly SessionEvent[];
  /** Contents of the messages in `message.queued` and `message.edited` events, by message ID. */
  readonly contents?: Readonly<Record<string, MessageContent>>;
  /** Complete messages added to the history after the events, for example the history of a fork. */
  readonly messages?: readonly NewMessage[];
  /** Notices for the history, by the index of their event. They precede messages of later events. */
  readonly notices?: Readonly<Record<number, readonly NewMessage[]>>;
  readonly fence?: Fence;
  /** How much of the output of the agent is stored with this change. */
  readonly agentCursor?: string;
  readonly remember?: IdempotencyKey & RememberedAnswer;
  /** An earlier attempt had an unknown outcome. If that attempt was stored, the change is not stored again. */
  readonly wasTried?: boolean;
}

export interface Committed {
  readonly ok: true;
  /** Null after a delete. */
  readonly stored: StoredSession | null;
  /** First and last sequence number of the log entries written. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** What was written, for those who would read it next. Null if it is long, or was written by an earlier attempt. */
  readonly written: Written | null;
}

/** The new log entries, and the runs that changed, as a read would return them. A run may be missing. */
export interface Written {
  readonly entries: readonly LogEntry[];
  readonly runs: readonly Run[];
}

export interface CommitRefused {
  readonly ok: false;
  /**
   * `conflict`: decide again. `fenced`: another node owns the session. `remembered`: the key has an answer already.
   * `agent_id_taken`: another session has the agent ID.
   */
  readonly refused: "conflict" | "fenced" | "remembered" | "agent_id_taken";
}

export interface SessionQuery {
  readonly repoId?: string;
  readonly statuses?: readonly Status[];
  readonly states?: readonly State[];
  /** How the last run ended. */
  readonly outcomes?: readonly RunResult["outcome"][];
  readonly phase?: Phase;
  readonly agentName?: string;
  /** The provider of the next message: the session's preference, else that of its last run; null matches neither. */
  readonly providers?: readonly (string | null)[];
  /** Prefixes of words in the title, the purpose or a message. */
  readonly search?: string;
  /** Sessions whose life, from creation to last activity, overlaps the range. */
  readonly from?: number;
  readonly to?: number;
  /** By creation, unless it is `turn`: by the last turn. Newest first. */
  readonly order?: "created" | "turn";
  readonly limit: number;
  readonly offset?: number;
  /** Cursor of the next page. Cheaper than an offset, and stable while sessions are added. */
  readonly after?: ListPosition;
}

/** Cursor of a list of sessions sorted by a time. */
export interface ListPosition {
  readonly at: number;
  readonly id: string;
}

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  readonly total: number;
  /** Cursor of the next page, or null. */
  readonly next: ListPosition | null;
  readonly counts: SessionCounts;
  /** For a search: at most one matching message per session on the page. */
  readonly hits: readonly SearchHit[];
}

export interface SearchHit {
  readonly sessionId: string;
  readonly messageId: string;
  readonly role: Role;
  /** Type of the content; null when the message is too long to read, or unreadable. */
  readonly type: string | null;
  /** Empty when the message is too long to read. */
  readonly excerpt: Excerpt;
}

export type SessionCounts = Readonly<Record<Status | "badge", number>>;

/** A session as lists show it: one row and its open suspensions. */
export interface SessionRecord extends Omit<Session, "standing" | "queue"> {
  readonly status: Status;
  readonly state: State;
  readonly suspensions: readonly Suspension[];
  readonly queued: number;
  readonly failure: string | null;
  readonly suspendedAt: number | null;
  /** Why a suspended session cannot continue; null while only the server is away. */
  readonly suspendedReason: string | null;
  readonly archivedAt: number | null;
  readonly failedAt: number | null;
  /** When retention removes the session if it stays inactive; null means never. */
  readonly removeAt: number | null;
  /** Rises with each commit. A change names the version it was decided on. */
  readonly version: number;
  /** The last sequence number of its log. */
  readonly lastSeq: number;
}

export type ReadSession = { readonly found: "session"; readonly record: SessionRecord } | Unloaded;
