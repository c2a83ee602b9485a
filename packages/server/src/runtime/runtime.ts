import type { AgentWork } from "./keep/agent-work.ts";
import type { SessionKeeping } from "./keep/session-keeping.ts";
import type { RangeQuery } from "./files/file-range.ts";
import type { Changes, FileDiffReply, PatchReply } from "./files/read-changes.ts";
import type { RewindSession, Rewound } from "./files/rewind-session.ts";
import type { Outcome } from "../domain/phase.ts";
import type { PermissionGrant } from "../domain/policy/permission-grant.ts";
import type { ResumeDecision, ResumePolicy } from "../domain/should-resume.ts";
import type { Suspension } from "../domain/suspension.ts";
import type { ProviderDescription } from "../providers/provider-description.ts";
import type {
  QueuedMessage,
  SessionPage,
  ShownUnusedAnswer,
  StoredSuspension,
} from "../storage/store.ts";
import type { RawSession } from "../storage/ports/quarantine-store.ts";
import type { ServerLogins } from "./logins/server-logins.ts";
import type { DrainNode } from "./cluster/cluster.ts";
import type { NodeView } from "./cluster/node-view.ts";
import type { Feed, FeedReader } from "./feeds/feed.ts";
import type { ReadOutput, ToolOutput } from "./outputs/read-output.ts";
import type { Reply } from "./reply.ts";
import type { Repositories } from "./repositories/repositories.ts";
import type { FileMatches, FindFiles } from "./repositories/repository-files.ts";
import type { ReportedEvent, ReportEvent } from "./requests/report-event.ts";
import type {
  AnswerSuspension,
  AskFromAgent,
  CreateSession,
  DeletedReply,
  DeleteSession,
  EditQueued,
  ListSessions,
  OnMessage,
  OnSession,
  SendMessage,
  Sent,
  UpdateSession,
} from "./requests/request-types.ts";
import type { History, ReadHistory } from "./requests/session-history.ts";
import type { ReadRun, WholeRun } from "./requests/read-run.ts";
import type {
  MessagePage,
  ReadMessages,
  ReadRuns,
  ReadSession,
  RunPage,
  SessionJson,
  WholeSession,
} from "./requests/session-reads.ts";
import type { SessionOptions } from "./settings/option-types.ts";
import type { SessionReply, SessionSnapshot } from "./session-snapshot.ts";
import type { Measurements } from "./stats/measurements.ts";
import type { Stats } from "./stats/stats.ts";
import type { Readiness } from "./upkeep/readiness.ts";
import type { RemovedPage } from "./upkeep/removed-sessions.ts";

// For http, which does not import the layers below.
export type { PermissionGrant } from "../domain/policy/permission-grant.ts";
export type { ProviderDescription } from "../providers/provider-description.ts";
export type { RawSession } from "../storage/ports/quarantine-store.ts";
export type {
  MessageFormat,
  QueuedMessage,
  Repo,
  Run,
  SearchHit,
  SessionPage,
  ShownUnusedAnswer,
  StoredSuspension,
} from "../storage/store.ts";
export type { RangeQuery } from "./files/file-range.ts";
export type { Changes, FileDiffReply, PatchReply } from "./files/read-changes.ts";
export type { RewindSession, Rewound } from "./files/rewind-session.ts";
export type { LoginProgress } from "./logins/server-logins.ts";
export type { Feed, FeedEnd, FeedItem, FeedReader } from "./feeds/feed.ts";
export type { FindFiles } from "./repositories/repository-files.ts";
export type { AgentSessionEnd } from "./requests/delete-agent-sessions.ts";
export type { ReportedEvent } from "./requests/report-event.ts";
export type * from "./requests/request-types.ts";
export type { ReadRun, WholeRun } from "./requests/read-run.ts";
export type {
  MessagePage,
  PastRun,
  ReadMessages,
  ReadRuns,
  RunPage,
  RunPosition,
  SessionJson,
  WholeSession,
} from "./requests/session-reads.ts";
export type { ToolDecision } from "./requests/tool-decisions.ts";
export type { SessionOptions } from "./settings/option-types.ts";
export type { Histogram, Measurements } from "./stats/measurements.ts";
export type { Stats } from "./stats/stats.ts";
export type { Readiness } from "./upkeep/readiness.ts";
export type { RemovedPage } from "./upkeep/removed-sessions.ts";

type QueueReply = Promise<Reply<{ readonly queue: readonly QueuedMessage[] }>>;
type GrantsReply = Promise<Reply<{ readonly grants: readonly PermissionGrant[] }>>;

/** The port of the runtime: every request about sessions, from HTTP, the command line and tests. */
export interface Runtime extends ServerLogins {
  createSession(
    request: CreateSession,
  ): Promise<Reply<{ readonly session: SessionSnapshot; readonly sent: Sent | null }>>;
  listSessions(query: ListSessions): Promise<SessionPage>;
  /** The id of the session with this id or agent id; null if there is none. */
  findSession(name: string): Promise<string | null>;
  readSession(sessionId: string): Promise<SessionReply>;
  /** The session with its repository, all messages and the position where its feed continues. */
  readWholeSession(sessionId: string): Promise<Reply<WholeSession>>;
  readSessionJson(request: ReadSession): Promise<Reply<SessionJson>>;
  updateSession(request: UpdateSession): Promise<SessionReply>;
  deleteSession(request: DeleteSession): Promise<DeletedReply>;
  /** The stored rows, even if they are unreadable. */
  readRaw(sessionId: string): Promise<Reply<{ readonly raw: RawSession }>>;

  sendMessage(request: SendMessage): Promise<Reply<{ readonly sent: Sent }>>;
  readMessages(query: ReadMessages): Promise<Reply<MessagePage>>;
  readRuns(query: ReadRuns): Promise<Reply<RunPage>>;
  /** One run, with the answer of its agent. */
  readRun(query: ReadRun): Promise<Reply<{ readonly run: WholeRun }>>;
  /** The output of a tool call, whole if possible. */
  readOutput(request: ReadOutput): Promise<Reply<{ readonly output: ToolOutput }>>;
  /** What the next agent of the session offers, with the values that it gets. */
  readOptions(sessionId: string): Promise<Reply<SessionOptions>>;
  readHistory(query: ReadHistory): Promise<Reply<History>>;

  readQueue(sessionId: string): QueueReply;
  editQueued(request: EditQueued): QueueReply;
  withdrawQueued(request: OnMessage): QueueReply;

  /** With `runId`, only that run, and a refusal if another one is current. */
  cancel(
    request: OnSession & { readonly reason: string; readonly runId?: string },
  ): Promise<SessionReply>;
  resume(request: OnSession): Promise<SessionReply>;
  answer(request: AnswerSuspension): Promise<SessionReply>;
  archive(request: OnSession): Promise<SessionReply>;
  finalize(
    request: OnSession & { readonly outcome: Outcome; readonly summary: string | null },
  ): Promise<SessionReply>;
  fail(request: OnSession & { readonly reason: string }): Promise<SessionReply>;
  fork(request: OnSession & { readonly atMessage: string | null }): Promise<SessionReply>;
  /** The files that changed in a run, since a run, or in the whole session. */
  readChanges(query: RangeQuery): Promise<Reply<Changes>>;
  readFileDiff(query: RangeQuery & { readonly path: string }): Promise<Reply<FileDiffReply>>;
  /** All changes as one patch. */
  readPatch(query: RangeQuery): Promise<Reply<PatchReply>>;
  /** Goes back to the state before a run, or undoes the last rewind. */
  rewind(request: RewindSession): Promise<Reply<Rewound>>;
  /** Keeps the work of sessions: commits, merges, pushes. */
  readonly work: SessionKeeping;
  /** The same for agents, in their runs. */
  readonly agentWork: AgentWork;
  /** Never refused: a missing session is one of the reasons. `policy` overrides the configured policy. */
  shouldResume(sessionId: string, policy?: Partial<ResumePolicy>): Promise<ResumeDecision>;

  /** The lines of a bundle, each without its newline. */
  exportSession(sessionId: string): Promise<Reply<{ readonly lines: AsyncIterable<string> }>>;
  importSession(lines: AsyncIterable<string>): Promise<SessionReply>;

  /** Sessions removed by retention or cleanup that can be restored; newest first. */
  listRemoved(query: { readonly limit: number }): Promise<RemovedPage>;
  restoreRemoved(sessionId: string): Promise<SessionReply>;

  listSuspensions(): Promise<readonly StoredSuspension[]>;
  /** Allowed actions that no agent took up and nobody has dismissed. */
  listUnusedAnswers(): Promise<readonly ShownUnusedAnswer[]>;
  /** Dismisses the unused answers of a run. */
  dismissUnused(run: {
    readonly sessionId: string;
    readonly runId: string;
  }): Promise<Reply<{ readonly dismissed: boolean }>>;
  /** Answers every suspension, in any session, that waits for this event. */
  reportEvent(event: ReportEvent): Promise<Reply<{ readonly reported: readonly ReportedEvent[] }>>;
  /** The permissions granted for the rest of the session; oldest first. */
  listGrants(sessionId: string): GrantsReply;
  /** The reply has the remaining grants. */
  revokeGrant(request: OnSession & { readonly grantId: string }): GrantsReply;
  /** A question of the agent on its current run. Refused without a run. */
  askFromAgent(request: AskFromAgent): Promise<Reply<{ readonly suspension: Suspension }>>;

  readonly addRepo: Repositories["add"];
  readonly listRepos: Repositories["list"];
  readonly findRepos: Repositories["find"];
  readonly removeRepo: Repositories["remove"];
  /** Fuzzy search for files of a repository. */
  findFiles(request: FindFiles): Promise<Reply<FileMatches>>;

  listProviders(): Promise<ListedProviders>;
  /** Makes an installed provider the default of this node, and of its next start. */
  setDefaultProvider(name: string): Promise<Reply<ListedProviders>>;
  stats(range: { readonly from?: number; readonly to?: number }): Promise<Stats>;
  /** The nodes that share the database, this one first. On SQLite, only this one. */
  listNodes(): Promise<readonly NodeView[]>;
  drainNode(request: DrainNode): Promise<Reply<{ readonly node: NodeView }>>;
  readiness(): Promise<Readiness>;
  /** Reads the whole database file and describes damaged places. */
  checkDatabase(): Promise<readonly string[]>;
  measure(): Promise<Measurements>;

  /** The events of one session after a sequence number, without gap or repetition. */
  openFeed(
    request: { readonly sessionId: string; readonly after: number } & FeedReader,
  ): Promise<Reply<{ readonly feed: Feed }>>;
  /** The changes of all sessions, each as a snapshot of the session. */
  openGlobalFeed(request: { readonly after: string | null } & FeedReader): Feed;
}

export interface ListedProviders {
  readonly providers: readonly ProviderDescription[];
  readonly defaultProvider: string;
}
