import type { SessionEvent } from "../domain/event.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Message, MessageContent, Role } from "../domain/message.ts";
import type { Phase } from "../domain/phase.ts";
import type { RunMemory, RunStatus } from "../domain/run.ts";
import type { Session } from "../domain/session.ts";
import type { State, Status } from "../domain/status.ts";
import type { Suspension } from "../domain/suspension.ts";
import type { FiguresPage, FiguresQuery, Tally } from "./figures.ts";

/**
 * Everything Holdfast keeps, behind one door. Two implementations, one contract suite.
 *
 * What a promise of this port resolves to is on the disk (`durable` writes survive power loss).
 * A "no" that is part of the game is a value; a `StorageFault` means the database failed and nothing
 * of the call is stored.
 */
export interface Store {
  readonly engine: "sqlite" | "postgres";

  load(sessionId: string): Promise<Loaded>;
  /** Stores kernel events and the session they fold to, all or nothing, if nobody was faster. */
  commit(change: Change): Promise<Committed | CommitRefused>;
  /** Stores what an agent said, if the run is still the session's and the fence holds. */
  append(output: Output): Promise<Appended | AppendRefused>;

  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Cheaper than `load`, for what needs no queue, run or suspension. */
  readSession(sessionId: string): Promise<ReadSession>;
  readMessages(query: MessageQuery): Promise<readonly Message[]>;
  readMessage(sessionId: string, messageId: string): Promise<Message | null>;
  readEvents(query: EventQuery): Promise<readonly LogEntry[]>;
  readQueue(sessionId: string): Promise<readonly QueuedMessage[]>;
  readRun(runId: string): Promise<Run | null>;
  /** In the order they were asked for; all of them, or a part. */
  readRuns(sessionId: string, part?: Part): Promise<readonly Run[]>;
  readSuspension(suspensionId: string): Promise<StoredSuspension | null>;
  /** Everything a session's runs ever waited for, oldest first. */
  readSuspensions(sessionId: string, part?: Part): Promise<readonly StoredSuspension[]>;
  /** The inbox: what waits anywhere, oldest first. */
  openSuspensions(): Promise<readonly StoredSuspension[]>;
  /** Sessions that some node should be working on, or was when it died. */
  unsettledSessions(): Promise<readonly string[]>;
  /** Ids of sessions not active since then, in the given statuses, first made first. */
  inactiveSessions(query: InactiveQuery): Promise<readonly string[]>;
  /** Removes whole sessions with everything that hangs on them; returns how many there were. */
  deleteSessions(sessionIds: readonly string[]): Promise<number>;

  /** A session that was exported, with its whole history; all or nothing. */
  importSession(imported: ImportedSession): Promise<ImportDone | ImportRefused>;

  addRepo(repo: Repo): Promise<Repo>;
  readRepo(repoId: string): Promise<Repo | null>;
  listRepos(): Promise<readonly Repo[]>;
  removeRepo(repoId: string): Promise<"removed" | "missing" | "in_use">;

  /** The answer given under this key before, if any. */
  recall(key: IdempotencyKey): Promise<Remembered | null>;
  forgetAnswers(query: { readonly olderThan: number }): Promise<number>;

  /** Keeps the node's lease; false when it had expired and was lost in between. */
  renewLease(lease: { readonly node: string; readonly ttlMs: number }): Promise<boolean>;
  dropLease(node: string): Promise<void>;
  /** For a node that knows it is alone, since it holds the data folder: the others are dead. */
  dropOtherLeases(node: string): Promise<void>;
  /** Makes the node the session's owner unless a live node owns it; the epoch rises with each owner. */
  claim(claim: { readonly sessionId: string; readonly node: string }): Promise<Claim>;
  release(claim: { readonly sessionId: string } & Fence): Promise<boolean>;

  /** What sessions and their runs came to, for statistics: a part of the sessions at a time. */
  readFigures(query: FiguresQuery): Promise<FiguresPage>;
  /** How many sessions stand how. Costs what is under way, not what is stored, except on PostgreSQL. */
  tally(): Promise<Tally>;

  /** Rows that could not be understood, kept as they were found. */
  listSetAside(): Promise<readonly SetAside[]>;
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
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
  /** Whole messages added to the history after the events: notices, a fork's history. */
  readonly messages?: readonly NewMessage[];
  readonly fence?: Fence;
  readonly remember?: IdempotencyKey & Remembered;
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
  /** `conflict`: decide again. `fenced`: another owner. `remembered`: answered before under this key. */
  readonly refused: "conflict" | "fenced" | "remembered";
}

export interface Output {
  readonly sessionId: string;
  readonly runId: string;
  readonly at: number;
  readonly fence: Fence;
  readonly items: readonly OutputItem[];
  /** False for checkpoints of a stream: they survive a crash of ours, not a power cut. */
  readonly durable: boolean;
}

export type OutputItem =
  | {
      readonly put: "message";
      readonly message: Omit<NewMessage, "runId">;
      readonly complete: boolean;
    }
  | { readonly put: "text"; readonly messageId: string; readonly text: string }
  | {
      readonly put: "content";
      readonly messageId: string;
      readonly content: MessageContent;
      readonly complete: boolean;
    }
  /** The message is whole: its text so far becomes its content and the log forgets the pieces. */
  | { readonly put: "end"; readonly messageId: string };

export interface Appended {
  readonly ok: true;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface AppendRefused {
  readonly ok: false;
  readonly refused: "fenced" | "run_not_current" | "message_not_found";
}

export type LogEntry =
  | {
      readonly kind: "event";
      readonly seq: number;
      readonly at: number;
      readonly event: SessionEvent;
    }
  | {
      readonly kind: "message";
      readonly seq: number;
      readonly at: number;
      readonly message: Message;
    }
  | {
      readonly kind: "delta";
      readonly seq: number;
      readonly at: number;
      readonly messageId: string;
      readonly text: string;
    };

export interface SessionQuery {
  readonly repoId?: string;
  readonly statuses?: readonly Status[];
  readonly states?: readonly State[];
  readonly phase?: Phase;
  readonly agentName?: string;
  /** Words that the title, the purpose or a message has, each as a prefix. */
  readonly search?: string;
  /** Created at or after, and before. */
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
}

export type SessionCounts = Readonly<Record<Status | "badge", number>>;

/** A session as lists show it: what one row and its open suspensions say. */
export interface SessionRecord extends Omit<Session, "standing" | "queue"> {
  readonly status: Status;
  readonly state: State;
  readonly suspensions: readonly Suspension[];
  readonly queued: number;
  readonly failure: string | null;
  readonly archivedAt: number | null;
  /** Counts the decisions about the session; what a change names as the one it was decided on. */
  readonly version: number;
  /** The last sequence number of its log. */
  readonly lastSeq: number;
}

export type ReadSession =
  | { readonly found: "session"; readonly record: SessionRecord }
  | { readonly found: "nothing" }
  | { readonly found: "unreadable"; readonly reason: string };

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

export interface Run {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly status: RunStatus;
  readonly provider: string | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly stopReason: string | null;
  readonly error: Json;
  readonly usage: JsonObject | null;
  /** How its agent knew what was said before; null until it was given the message. */
  readonly memory: RunMemory | null;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface StoredSuspension extends Suspension {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: "open" | "answered" | "withdrawn" | "expired" | "released";
  readonly answer: Json;
  readonly answeredBy: string | null;
  readonly closedAt: number | null;
}

export interface Repo {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly createdAt: number;
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
  | { readonly ok: false; readonly owner: string | null };

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

/** What a bundle brings. Ids are kept, so that a session keeps its links and cursors wherever it goes. */
export interface ImportedSession {
  readonly at: number;
  /** As it is to be here; never with a run under way. */
  readonly session: Session;
  /** Its log goes on after this. */
  readonly lastSeq: number;
  /** In order, each with the number it had. */
  readonly messages: readonly Omit<Message, "sessionId" | "complete">[];
  readonly runs: readonly Omit<Run, "sessionId">[];
  readonly suspensions: readonly Omit<StoredSuspension, "sessionId">[];
  /** What the messages in the session's queue say, in its order. */
  readonly queued: readonly Pick<QueuedMessage, "messageId" | "content" | "queuedAt">[];
  /** Added to the history at its end. */
  readonly notices: readonly NewMessage[];
}

export interface ImportDone {
  readonly ok: true;
  readonly stored: StoredSession;
}

export type ImportRefused =
  | { readonly ok: false; readonly refused: "session_exists" }
  /** Ids of messages, runs or suspensions that are another session's. */
  | { readonly ok: false; readonly refused: "ids_taken"; readonly taken: readonly string[] };
