import type { Kysely } from "kysely";

/**
 * The tables of both databases. Times are epoch milliseconds, booleans are 0 or 1, objects and lists are JSON text. Reads
 * validate all values, because people edit databases.
 */
export interface Tables {
  Repo: RepoRow;
  AgentSession: SessionRow;
  AgentMessage: MessageRow;
  Run: RunRow;
  SessionEvent: EventRow;
  QueuedMessage: QueuedMessageRow;
  Suspension: SuspensionRow;
  IdempotencyKey: IdempotencyKeyRow;
  NodeLease: NodeLeaseRow;
  SetAside: SetAsideRow;
  AccessToken: AccessTokenRow;
  Browser: BrowserRow;
  ProviderOffer: ProviderOfferRow;
  /** SQLite only: sessions counted by triggers, so that a list needs no scan. */
  SessionTally: { repoId: string; status: string; count: number };
  /** One document per searchable message, and one per session for its title and purpose. */
  SearchDocument: SearchDocumentRow;
  /** SQLite only: messages and sessions that the search has yet to take in. */
  SearchTodo: { id: string };
  /** SQLite only: the full-text index over the documents' words. */
  SearchIndex: { rowid: number; words: string };
}

export type Database = Kysely<Tables>;

/** Values of the column `AgentSession.setAside`, except 0. A session with either is in no list. */
export const QUARANTINED = 1;
/** The session is still being imported. */
export const STAGED = 2;

export interface RepoRow {
  id: string;
  path: string;
  name: string;
  createdAt: number;
  label: string | null;
}

export interface SessionRow {
  id: string;
  repoId: string | null;
  title: string | null;
  status: string;
  state: string;
  phase: string;
  phaseHistory: string;
  resumeReady: number;
  errorCount: number;
  errorTotal: number;
  lastError: string | null;
  lastErrorId: string | null;
  lastErrorAt: number | null;
  agentName: string | null;
  purpose: string | null;
  agentId: string | null;
  metadata: string;
  provider: string | null;
  model: string | null;
  /** Provider and model of the last started run; null before the first. */
  lastProvider: string | null;
  lastModel: string | null;
  /** The MCP servers by name; null if there are none. */
  mcpServers: string | null;
  /** A list of paths; null if there are none. */
  directories: string | null;
  supportsResume: number;
  supportsSteering: number;
  /** A list of `{provider, data, seen}`. */
  resumeData: string | null;
  /** A list of `{provider, mode, options}`; null if it is empty. */
  settings: string | null;
  /** `{kind, base, worktree}`; null for the folder of the repository. */
  workspace: string | null;
  /** The files before and after the last run; null if nothing is known. */
  files: string | null;
  rewind: string | null;
  delivery: string;
  queued: number;
  forkedFrom: string | null;
  failure: string | null;
  summary: string | null;
  createdAt: number;
  updatedAt: number;
  lastActiveAt: number;
  /** The last turn: its time, the outcome of its run, and the last line that an agent said. */
  lastTurnAt: number;
  lastOutcome: string | null;
  lastLine: string | null;
  /** Both null unless the session is suspended; the reason also while only the server is away. */
  suspendedAt: number | null;
  suspendedReason: string | null;
  archivedAt: number | null;
  failedAt: number | null;
  finalizedAt: number | null;
  /** Rises with each commit of kernel events. Of two concurrent writers only one succeeds. */
  version: number;
  /** The last sequence number of the log. */
  lastSeq: number;
  /** The node that owns the session, and the number of ownership changes. */
  owner: string | null;
  epoch: number;
  /** How much of the output of its agent is stored; null if no agent outlives the server. */
  agentCursor: string | null;
  /** 1: cannot be read. 2: is still being imported. Neither is in a list. */
  setAside: number;
}

export interface MessageRow {
  id: string;
  sessionId: string;
  runId: string | null;
  seq: number;
  role: string;
  content: string;
  complete: number;
  timestamp: number;
}

export interface RunRow {
  id: string;
  sessionId: string;
  messageId: string;
  status: string;
  provider: string | null;
  model: string | null;
  /** `{mode, options}` that the message chose; null if it chose none. */
  settings: string | null;
  continuity: string;
  handed: number;
  attempts: number;
  stopReason: string | null;
  error: string | null;
  usage: string | null;
  memory: string | null;
  unusedAnswers: string | null;
  /** 1 while they are shown. */
  unusedShown: number | null;
  /** `{tree, head}`: snapshots of the working files; null if there are none. */
  filesBefore: string | null;
  filesAfter: string | null;
  /** `{files, added, deleted}`; null if it is not known. */
  changes: string | null;
  /** When the run was taken back; null if it was not. */
  rewoundAt: number | null;
  queuedAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

export interface EventRow {
  sessionId: string;
  seq: number;
  at: number;
  /** `event`: a kernel event in `data`. `message`: the message is whole as of here. `delta`: text in `data`. */
  kind: string;
  messageId: string | null;
  data: string | null;
}

export interface QueuedMessageRow {
  messageId: string;
  sessionId: string;
  runId: string;
  position: number;
  content: string;
  provider: string | null;
  model: string | null;
  settings: string | null;
  continuity: string;
  attempts: number;
  queuedAt: number;
  /** `wanted` or `given` if it is to steer the current run, else null. */
  steer: string | null;
}

export interface SuspensionRow {
  id: string;
  sessionId: string;
  runId: string;
  kind: string;
  request: string;
  fingerprint: string | null;
  status: string;
  answer: string | null;
  answeredBy: string | null;
  createdAt: number;
  expiresAt: number | null;
  closedAt: number | null;
}

export interface IdempotencyKeyRow {
  scope: string;
  key: string;
  requestHash: string;
  response: string;
  createdAt: number;
}

export interface NodeLeaseRow {
  node: string;
  expiresAt: number;
  startedAt: number;
  /** The node's description of itself as JSON; null for the lease of an import. */
  about: string | null;
  draining: number;
}

export interface SetAsideRow {
  tableName: string;
  rowId: string;
  reason: string;
  row: string;
  at: number;
}

export interface AccessTokenRow {
  id: string;
  name: string;
  scope: string;
  /** The only session that the token is for; null: all. */
  sessionId: string | null;
  /** The SHA-256 of the token, in hex. */
  digest: string;
  createdAt: number;
  /** Approximate: not every use is stored. */
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
}

export interface BrowserRow {
  id: string;
  scope: string;
  /** The API token that it signed in with. */
  tokenId: string | null;
  tokenName: string | null;
  userAgent: string;
  /** The SHA-256 of its cookie and its key, in hex. */
  digest: string;
  createdAt: number;
  /** Approximate: not every use is stored. */
  lastUsedAt: number;
  expiresAt: number;
}

export interface ProviderOfferRow {
  provider: string;
  offer: string;
  at: number;
}

export interface SearchDocumentRow {
  /** Made by the database. */
  key: number;
  sessionId: string;
  messageId: string | null;
  /** PostgreSQL only. */
  words: string;
}
