import type { ContinuityPolicy, DeliveryMode } from "../domain/delivery.ts";
import type { SessionChanges } from "../domain/kernel/event.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Message, MessageContent } from "../domain/message.ts";
import type { PermissionGrant } from "../domain/policy/permission-grant.ts";
import type { Outcome, Phase } from "../domain/phase.ts";
import type { ResumeDecision, ResumePolicy } from "../domain/should-resume.ts";
import type { Suspension, SuspensionKind } from "../domain/suspension.ts";
import type { ProviderDescription } from "../providers/provider.ts";
import type {
  QueuedMessage,
  Repo,
  Run,
  RunSuspension,
  SearchHit,
  SessionPage,
  SessionQuery,
  SessionRecord,
  ShownUnusedAnswer,
  StoredSuspension,
} from "../storage/store.ts";
import type { RawSession } from "../storage/raw-session.ts";
import type { DrainNode } from "./cluster/drain-node.ts";
import type { Feed, FeedEnd, FeedItem } from "./feeds/feed.ts";
import type { Measurements } from "./stats/measurements.ts";
import type { NodeView } from "./cluster/node-view.ts";
import type { Reply, RuntimeRefusal } from "./reply.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import type { Readiness } from "./upkeep/readiness.ts";
import type { Stats } from "./stats/stats.ts";

export type { Histogram } from "./stats/measurements.ts";
export type {
  Feed,
  FeedEnd,
  FeedItem,
  Measurements,
  PermissionGrant,
  ProviderDescription,
  QueuedMessage,
  RawSession,
  Readiness,
  Repo,
  Run,
  RunSuspension,
  SearchHit,
  SessionPage,
  SessionQuery,
  SessionRecord,
  ShownUnusedAnswer,
  Stats,
  StoredSuspension,
};

/** Everything that can be asked of sessions, whoever asks: HTTP, the command line, tests. */
export interface Runtime {
  createSession(
    request: CreateSession,
  ): Promise<Reply<{ readonly session: SessionSnapshot; readonly sent: Sent | null }>>;
  listSessions(query: ListSessions): Promise<SessionPage>;
  /** The id of the session with this id or agent id; null when there is none. */
  findSession(name: string): Promise<string | null>;
  readSession(sessionId: string): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  /** The session with its repository and all messages, and from where its feed goes on. */
  readWholeSession(sessionId: string): Promise<Reply<WholeSession>>;
  updateSession(request: UpdateSession): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  deleteSession(request: OnSession): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  /** As it is stored, whether or not it can be read. */
  readRaw(sessionId: string): Promise<Reply<{ readonly raw: RawSession }>>;

  sendMessage(request: SendMessage): Promise<Reply<{ readonly sent: Sent }>>;
  readMessages(query: ReadMessages): Promise<Reply<MessagePage>>;
  readRuns(query: ReadRuns): Promise<Reply<RunPage>>;

  readQueue(sessionId: string): Promise<Reply<{ readonly queue: readonly QueuedMessage[] }>>;
  editQueued(request: EditQueued): Promise<Reply<{ readonly queue: readonly QueuedMessage[] }>>;
  withdrawQueued(
    request: OnSession & { readonly messageId: string },
  ): Promise<Reply<{ readonly queue: readonly QueuedMessage[] }>>;

  cancel(
    request: OnSession & { readonly reason: string },
  ): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  resume(request: OnSession): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  answer(request: AnswerSuspension): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  archive(request: OnSession): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  finalize(
    request: OnSession & { readonly outcome: Outcome; readonly summary: string | null },
  ): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  fail(
    request: OnSession & { readonly reason: string },
  ): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  fork(
    request: OnSession & { readonly atMessage: string | null },
  ): Promise<Reply<{ readonly session: SessionSnapshot }>>;
  /** Never refused: that there is no such session is one of its reasons. What is given overrides what is set. */
  shouldResume(sessionId: string, policy?: Partial<ResumePolicy>): Promise<ResumeDecision>;

  /** The lines of a bundle, each without its newline. */
  exportSession(sessionId: string): Promise<Reply<{ readonly lines: AsyncIterable<string> }>>;
  importSession(
    lines: AsyncIterable<string>,
  ): Promise<Reply<{ readonly session: SessionSnapshot }>>;

  /** Sessions that retention or cleanup removed, and that can be restored; newest first. */
  listRemoved(query: { readonly limit: number }): Promise<RemovedPage>;
  restoreRemoved(sessionId: string): Promise<Reply<{ readonly session: SessionSnapshot }>>;

  listSuspensions(): Promise<readonly StoredSuspension[]>;
  /** What was allowed and not done, as far as can be seen, and nobody has dismissed. */
  listUnusedAnswers(): Promise<readonly ShownUnusedAnswer[]>;
  /** Those of the run are shown to nobody any more. */
  dismissUnused(run: {
    readonly sessionId: string;
    readonly runId: string;
  }): Promise<Reply<{ readonly dismissed: boolean }>>;
  /** Answers everything, in any session, that waits for this event. */
  reportEvent(event: ReportEvent): Promise<Reply<{ readonly reported: readonly ReportedEvent[] }>>;
  /** What people have said for the rest of the session, oldest first. */
  listGrants(sessionId: string): Promise<Reply<{ readonly grants: readonly PermissionGrant[] }>>;
  /** The reply holds those that are left. */
  revokeGrant(
    request: OnSession & { readonly grantId: string },
  ): Promise<Reply<{ readonly grants: readonly PermissionGrant[] }>>;
  /** An agent's own question, on the run it works on: refused when there is none. */
  askFromAgent(request: AskFromAgent): Promise<Reply<{ readonly suspension: Suspension }>>;
  readHistory(query: ReadHistory): Promise<Reply<History>>;

  addRepo(request: {
    readonly path: string;
    readonly name: string | null;
    readonly label?: string;
  }): Promise<Reply<{ readonly repo: Repo }>>;
  listRepos(): Promise<readonly Repo[]>;
  removeRepo(repoId: string): Promise<Reply<{ readonly repo: Repo }>>;
  /** Files of a repository by letters of their path. */
  findFiles(request: FindFiles): Promise<Reply<FoundFiles>>;

  listProviders(): Promise<{
    readonly providers: readonly ProviderDescription[];
    readonly defaultProvider: string;
  }>;
  stats(range: { readonly from?: number; readonly to?: number }): Promise<Stats>;
  /** The nodes that share the database, this one first; only itself on a file. */
  listNodes(): Promise<readonly NodeView[]>;
  drainNode(request: DrainNode): Promise<Reply<{ readonly node: NodeView }>>;
  readiness(): Promise<Readiness>;
  measure(): Promise<Measurements>;

  /** What happens to one session from after a sequence number on, without gap or repetition. */
  openFeed(
    request: { readonly sessionId: string; readonly after: number } & FeedReader,
  ): Promise<Reply<{ readonly feed: Feed }>>;
  /** What happens to all sessions: each time, the session as it is then. */
  openGlobalFeed(request: { readonly after: string | null } & FeedReader): Feed;
}

export interface FeedReader {
  /** Takes an item and says whether it can take more now; if not, it calls `feed.resume()` later. */
  readonly onItem: (item: FeedItem) => boolean;
  /** Nothing more will come. */
  readonly onEnd: (end: FeedEnd) => void;
}

export interface WholeSession {
  readonly session: SessionSnapshot;
  readonly repo: Repo | null;
  readonly messages: readonly Message[];
  /** A feed opened after this brings everything that is not in here, and nothing wrong twice. */
  readonly feedAfter: number;
}

export interface RemovedPage {
  readonly removed: readonly RemovedSession[];
  /** How many bundles there are. */
  readonly total: number;
}

export interface RemovedSession {
  readonly id: string;
  readonly title: string | null;
  readonly agentName: string | null;
  readonly repoPath: string | null;
  readonly removedAt: number;
  /** Until then it can be restored. */
  readonly keptUntil: number;
  readonly bytes: number;
}

export interface OnSession {
  readonly sessionId: string;
  /** Refused as `version_mismatch` when the session has changed since. */
  readonly version?: number;
}

export interface Idempotent {
  /** The client's key, and a digest of its whole request: the same pair gets the same answer. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
}

export interface CreateSession extends Idempotent {
  /** What an orchestrator calls it; must not be another session's. */
  readonly agentId: string | null;
  readonly repoId: string | null;
  readonly title: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly agentName: string | null;
  readonly purpose: string | null;
  readonly metadata: JsonObject;
  readonly message: MessageContent | null;
}

export interface UpdateSession extends OnSession {
  readonly changes: SessionChanges;
  readonly phase?: Phase;
  readonly error?: string;
}

export interface SendMessage extends Idempotent {
  readonly sessionId: string;
  readonly content: MessageContent;
  readonly provider: string | null;
  readonly model: string | null;
  readonly delivery: DeliveryMode;
  readonly continuity: ContinuityPolicy;
}

/** How a message was taken. */
export interface Sent {
  readonly messageId: string;
  readonly content: MessageContent;
  readonly at: number;
  readonly run: Run;
  /** False when its run began at once. */
  readonly queued: boolean;
  /** Its place in the queue, 0 next; null when it is not in it. */
  readonly position: number | null;
  /** Why it waits although its session is idle, in a sentence; null when it does not. */
  readonly waitsFor: string | null;
}

export interface ListSessions extends Omit<SessionQuery, "providers"> {
  /** Whom messages go to: the preference, or the default where there is none. */
  readonly provider?: string;
}

export interface ReadRuns {
  readonly sessionId: string;
  readonly after?: RunPosition;
  readonly limit: number;
}

export interface RunPosition {
  readonly at: number;
  readonly id: string;
}

export interface RunPage {
  /** In the order they were asked for. */
  readonly runs: readonly PastRun[];
  /** Where the next page begins, if there is one. */
  readonly next: RunPosition | null;
}

export interface PastRun extends Run {
  readonly suspensions: readonly RunSuspension[];
}

export interface FindFiles {
  readonly repoId: string;
  readonly query: string;
  readonly limit: number;
}

export interface FoundFiles {
  /** From the repository's folder on, the best match first. */
  readonly files: readonly string[];
  /** The repository has more files than were looked at. */
  readonly truncated: boolean;
}

export interface ReadMessages {
  readonly sessionId: string;
  readonly after?: number;
  readonly since?: number;
  readonly limit: number;
}

export interface MessagePage {
  readonly messages: readonly Message[];
  /** Where the next page begins; never beyond a message that can still change. */
  readonly nextAfter: number;
}

export interface EditQueued extends OnSession {
  readonly messageId: string;
  readonly content?: MessageContent;
  readonly position?: number;
}

export interface AnswerSuspension extends OnSession {
  readonly suspensionId: string;
  readonly answer: Json;
  readonly by: string | null;
}

export interface ReportEvent {
  readonly name: string;
  readonly answer: Json;
  readonly by: string | null;
}

/** What became of one that waited for an event. */
export interface ReportedEvent {
  readonly sessionId: string;
  readonly suspensionId: string;
  /** Null when it was answered; an error when that failed. */
  readonly problem: RuntimeRefusal | Error | null;
}

export interface AskFromAgent {
  readonly sessionId: string;
  readonly kind: Extract<SuspensionKind, "question" | "event">;
  /** Its `title` says what is asked: the same one, still open, is not asked twice. */
  readonly request: JsonObject & { readonly title: string };
  /** Null waits for ever. */
  readonly expiresInMs: number | null;
}

export interface ReadHistory {
  readonly sessionId: string;
  /** At most so many messages: the newest, or those that come first after `after`. */
  readonly limit: number;
  readonly after: number | null;
  /** Only messages with this text, whatever the case. */
  readonly search: string | null;
}

/** Messages in words, bounded. */
export interface History {
  readonly messages: readonly HistoryEntry[];
  /** Further messages with words: older ones, or with `after` newer ones. */
  readonly leftOut: number;
}

export interface HistoryEntry extends Pick<Message, "seq" | "role" | "at"> {
  readonly text: string;
  /** Characters cut from its end. */
  readonly cut: number;
}
