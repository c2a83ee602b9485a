import type { SessionEvent } from "../domain/kernel/event.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Message, MessageContent, Role } from "../domain/message.ts";
import type { Session } from "../domain/session.ts";
import type { Status } from "../domain/status.ts";
import type {
  AccessToken,
  AddToken,
  RevokeToken,
  TokenAdded,
  TokenRevoked,
} from "./access-token.ts";
import type {
  Arrival,
  ImportAdded,
  ImportBegun,
  ImportEnd,
  ImportFinished,
  ImportPart,
} from "./arrival.ts";
import type { FiguresPage, FiguresQuery, Tally } from "./figures.ts";
import type {
  Run,
  RunSuspension,
  RunSuspensionsQuery,
  ShownUnusedAnswer,
  StoredSuspension,
} from "./run-record.ts";
import type {
  ListPosition,
  ReadSession,
  SessionCounts,
  SessionPage,
  SessionQuery,
} from "./session-list.ts";
import type { RawSession, UnreadableSessions } from "./raw-session.ts";
import type { Appended, AppendRefused, LogEntry, Output } from "./output.ts";
import type { StaleCounts, StalePage, StaleQuery } from "./stale.ts";

export type * from "./output.ts";
export type * from "./run-record.ts";
export type {
  ListPosition,
  ReadSession,
  SearchHit,
  SessionCounts,
  SessionPage,
  SessionQuery,
  SessionRecord,
} from "./session-list.ts";

/**
 * Everything Holdfast keeps, behind one door. Two implementations, one contract suite.
 *
 * What a promise of this port resolves to is on the disk (`durable` writes survive power loss).
 * A "no" that is part of the game is a value; a `StorageFault` means the database failed and nothing
 * of the call is stored.
 */
export interface Store {
  readonly engine: "sqlite" | "postgres";
  /** When the database was last migrated. */
  readonly migratedAt: number;

  load(sessionId: string): Promise<Loaded>;
  /** Stores kernel events and the session they fold to, all or nothing, if nobody was faster. */
  commit(change: Change): Promise<Committed | CommitRefused>;
  /** Stores what an agent said, if the run is still the session's and the fence holds. */
  append(output: Output): Promise<Appended | AppendRefused>;

  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Cheaper than `load`, for what needs no queue, run or suspension. */
  readSession(sessionId: string): Promise<ReadSession>;
  /** The id of the session with this id or agent id. */
  findSession(name: string): Promise<string | null>;
  /** The same of many names; those of no session are not in it. */
  findSessions(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  readMessages(query: MessageQuery): Promise<readonly Message[]>;
  readMessage(sessionId: string, messageId: string): Promise<Message | null>;
  readEvents(query: EventQuery): Promise<readonly LogEntry[]>;
  readQueue(sessionId: string): Promise<readonly QueuedMessage[]>;
  readRun(runId: string): Promise<Run | null>;
  /** In the order they were asked for; all of them, or a part. */
  readRuns(sessionId: string, part?: Part): Promise<readonly Run[]>;
  /** What these runs of a session waited for, oldest first; of each run at most so many. */
  readRunSuspensions(query: RunSuspensionsQuery): Promise<readonly RunSuspension[]>;
  readSuspension(suspensionId: string): Promise<StoredSuspension | null>;
  /** Everything a session's runs ever waited for, oldest first. */
  readSuspensions(sessionId: string, part?: Part): Promise<readonly StoredSuspension[]>;
  /** The inbox: what waits anywhere, oldest first. */
  openSuspensions(): Promise<readonly StoredSuspension[]>;
  /** What was allowed and not done, of all sessions, oldest first; not what people have seen. */
  unusedAnswers(): Promise<readonly ShownUnusedAnswer[]>;
  /** False when the run has none, or they were dismissed before. */
  dismissUnused(run: { readonly sessionId: string; readonly runId: string }): Promise<boolean>;
  /** Sessions that some node should be working on, or was when it died. */
  unsettledSessions(): Promise<readonly string[]>;
  /**
   * Sessions that wait for a node: their owner is dead, or nobody owns them and there is something to do. Unlike
   * `unsettledSessions`, this costs what is abandoned and not what is under way.
   */
  abandonedSessions(query: { readonly limit: number }): Promise<readonly string[]>;
  /** Where the logs of these sessions end; those that are gone are not in it. */
  lastSeqs(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Ids of sessions not active since then, in the given statuses, first made first. */
  inactiveSessions(query: InactiveQuery): Promise<readonly string[]>;
  /** Removes whole sessions with everything that hangs on them; returns how many there were. */
  deleteSessions(sessionIds: readonly string[]): Promise<number>;
  /** Sessions that were not active for long and are at rest, first made first, a part at a time. */
  staleSessions(query: StaleQuery): Promise<StalePage>;
  countStale(query: { readonly before: number }): Promise<StaleCounts>;
  /** Removes those of the sessions that are stale at this very moment; returns their ids. */
  deleteStale(query: {
    readonly sessionIds: readonly string[];
    readonly before: number;
  }): Promise<readonly string[]>;

  /** A session that was exported comes in parts. Nobody sees anything of it before it is whole. */
  beginImport(begin: { readonly arrival: Arrival; readonly at: number }): Promise<ImportBegun>;
  addToImport(part: ImportPart): Promise<ImportAdded>;
  finishImport(end: ImportEnd): Promise<ImportFinished>;
  /** Removes some of what it has brought, and it cannot go on; true when nothing of it is left. */
  dropImport(arrival: Arrival): Promise<boolean>;
  /** Imports that nobody goes on with: to be dropped. */
  leftImports(): Promise<readonly Arrival[]>;

  addRepo(repo: Repo): Promise<Repo>;
  readRepo(repoId: string): Promise<Repo | null>;
  listRepos(): Promise<readonly Repo[]>;
  removeRepo(repoId: string): Promise<"removed" | "missing" | "in_use">;

  addToken(request: AddToken): Promise<TokenAdded>;
  /** All that are not forgotten, first made first: the revoked and expired ones too. */
  listTokens(): Promise<readonly AccessToken[]>;
  revokeToken(request: RevokeToken): Promise<TokenRevoked>;
  markTokenUsed(use: { readonly id: string; readonly at: number }): Promise<void>;
  /** Removes those that were revoked before then. */
  forgetTokens(query: { readonly before: number }): Promise<void>;

  /** The answer given under this key before, if any. */
  recall(key: IdempotencyKey): Promise<Remembered | null>;
  forgetAnswers(query: { readonly olderThan: number }): Promise<number>;

  /** Keeps the node's lease; false when it had expired and was lost in between. */
  renewLease(lease: Lease): Promise<boolean>;
  /** Every node that said something of itself and is not forgotten yet, the one that began first first. */
  listNodes(): Promise<readonly NodeRecord[]>;
  /** Asks the node to let go of its work and take no more, or to go on; false when there is no such node. */
  drainNode(drain: { readonly node: string; readonly draining: boolean }): Promise<boolean>;
  forgetNodes(query: { readonly deadForMs: number }): Promise<void>;
  dropLease(node: string): Promise<void>;
  /** For a node that knows it is alone, since it holds the data folder: the others are dead. */
  dropOtherLeases(node: string): Promise<void>;
  /** Makes the node the session's owner unless a live node owns it; the epoch rises with each owner. */
  claim(claim: {
    readonly sessionId: string;
    readonly node: string;
    /** How many sessions all nodes together may own. */
    readonly limit?: number | null;
  }): Promise<Claim>;
  release(claim: { readonly sessionId: string } & Fence): Promise<boolean>;
  /** The node that works on the session, and whether its lease still holds; null when none does. */
  ownerOf(sessionId: string): Promise<Owner | null>;

  /** What sessions and their runs came to, for statistics: a part of the sessions at a time. */
  readFigures(query: FiguresQuery): Promise<FiguresPage>;
  /** How many sessions stand how. Costs what is under way, not what is stored. */
  tally(): Promise<Tally>;

  /**
   * Hints that other processes have written: at once on PostgreSQL, within a second or so on a file. A hint can be lost,
   * or come twice: what is stored is for the listener to read.
   */
  onOutsideWrites(listener: (hint: Hint) => void): void;
  /** A hint to other nodes: one of them, or any, should take the session up. */
  call(wanted: { readonly sessionId: string; readonly node: string | null }): void;

  /** Rows that could not be understood, kept as they were found. */
  listSetAside(): Promise<readonly SetAside[]>;
  /** A session's row as it is stored, whether or not it can be read; null when there is none. */
  readRaw(sessionId: string): Promise<RawSession | null>;
  /** Sessions that could not be read, first made first. */
  unreadableSessions(query: { readonly limit: number }): Promise<UnreadableSessions>;
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
}

/** What somebody else may have done. */
export type Hint =
  | { readonly hint: "anything" | "nodes" }
  | { readonly hint: "output" | "change" | "deleted"; readonly sessionId: string }
  | { readonly hint: "wanted"; readonly sessionId: string; readonly node: string | null };

export interface Lease {
  readonly node: string;
  readonly ttlMs: number;
  /** What the node tells others of itself. */
  readonly about?: JsonObject;
}

export interface NodeRecord {
  readonly node: string;
  readonly about: JsonObject;
  readonly startedAt: number;
  readonly draining: boolean;
  /** Whether its lease holds, by the database's clock. */
  readonly alive: boolean;
}

export type Loaded =
  | { readonly found: "session"; readonly stored: StoredSession }
  | { readonly found: "nothing" }
  | { readonly found: "unreadable"; readonly reason: string };

export interface StoredSession {
  readonly session: Session;
  readonly version: number;
  readonly lastSeq: number;
  readonly owner: string | null;
  readonly epoch: number;
}

/** The right to write for a run: refused when another node has taken the session over. */
export interface Fence {
  readonly node: string;
  readonly epoch: number;
}

export interface Change {
  /** What was loaded and decided on; null creates. */
  readonly before: StoredSession | null;
  readonly events: readonly SessionEvent[];
  /** What the messages say that `message.queued` and `message.edited` events name. */
  readonly contents?: Readonly<Record<string, MessageContent>>;
  /** Whole messages added to the history after the events: a fork's history, for one. */
  readonly messages?: readonly NewMessage[];
  /** What the history says about an event, by the event's index: it stands before what later events bring. */
  readonly notices?: Readonly<Record<number, readonly NewMessage[]>>;
  readonly fence?: Fence;
  readonly remember?: IdempotencyKey & Remembered;
  /** The same change was tried before and its outcome is unknown: if it is stored, it is not stored again. */
  readonly wasTried?: boolean;
}

export interface NewMessage {
  readonly id: string;
  readonly runId: string | null;
  readonly role: Role;
  readonly content: MessageContent;
  /** When it was said, where that is not now: a fork keeps the times of the original. */
  readonly at?: number;
}

export interface Committed {
  readonly ok: true;
  /** Null after a delete. */
  readonly stored: StoredSession | null;
  /** Sequence numbers of the log entries written, from and to, both included. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface CommitRefused {
  readonly ok: false;
  /**
   * `conflict`: decide again. `fenced`: another owner. `remembered`: answered before under this key.
   * `agent_id_taken`: another session has it.
   */
  readonly refused: "conflict" | "fenced" | "remembered" | "agent_id_taken";
}

export interface MessageQuery {
  readonly sessionId: string;
  /** After this sequence number. */
  readonly after?: number;
  /** Later than this time. */
  readonly since?: number;
  readonly limit?: number;
}

export interface EventQuery {
  readonly sessionId: string;
  readonly after: number;
  readonly limit: number;
}

export interface InactiveQuery {
  readonly statuses: readonly Status[];
  readonly before: number;
  /** Made after this one. */
  readonly after?: ListPosition;
  readonly limit: number;
}

/** Of a list that is in order of time. */
export interface Part {
  /** Where the last part ended. */
  readonly after?: { readonly at: number; readonly id: string };
  readonly limit: number;
}

export interface QueuedMessage {
  readonly messageId: string;
  readonly runId: string;
  readonly content: MessageContent;
  readonly provider: string | null;
  readonly model: string | null;
  readonly queuedAt: number;
}

export interface Repo {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly createdAt: number;
  /** Only nodes with this label have it; without one it is wherever its path is. */
  readonly label?: string;
}

export interface IdempotencyKey {
  readonly scope: string;
  readonly key: string;
}

export interface Remembered {
  readonly requestHash: string;
  readonly response: Json;
}

export type Claim =
  | { readonly ok: true; readonly epoch: number }
  /** `isFull`: nobody owns it, and nodes may own no more. */
  | { readonly ok: false; readonly owner: string | null; readonly isFull?: boolean };

export interface Owner {
  readonly node: string;
  readonly alive: boolean;
}

export interface SetAside {
  readonly table: string;
  readonly rowId: string;
  readonly reason: string;
  readonly row: string;
  readonly at: number;
}

export interface StoreHealth {
  readonly schema: string;
  readonly setAside: number;
  readonly counts: SessionCounts;
}
