import {
  createdTokenSchema,
  healthSchema,
  nodeSchema,
  nodesReplySchema,
  providersReplySchema,
  readinessSchema,
  removedReplySchema,
  repositoriesReplySchema,
  repositoryFilesSchema,
  repositorySchema,
  sessionSchema,
  reportEventReplySchema,
  statsSchema,
  suspensionsReplySchema,
  tokenSchema,
  tokensReplySchema,
  type AddRepositoryRequest,
  type CreateTokenRequest,
  type CreatedToken,
  type DrainNodeRequest,
  type Health,
  type Node,
  type NodesReply,
  type ProvidersReply,
  type Readiness,
  type RemovedQuery,
  type RemovedReply,
  type ReportEventReply,
  type ReportEventRequest,
  type RepositoriesReply,
  type Repository,
  type RepositoryFiles,
  type RepositoryFilesQuery,
  type Session,
  type Stats,
  type StatsQuery,
  type SuspensionsReply,
  type Token,
  type TokensReply,
} from "@holdfast/protocol";
import type { StreamEvent } from "./apply-event.ts";
import {
  createConnection,
  segment,
  type CallOptions,
  type Connection,
  type ConnectionOptions,
  type WriteOptions,
} from "./connection.ts";
import { streamEvents } from "./event-stream.ts";
import { createSessions, type Sessions } from "./sessions.ts";

export type ClientOptions = ConnectionOptions;

/** A Holdfast server, typed. Uses nothing but `fetch`: it runs in Node and in browsers. */
export interface Client {
  readonly sessions: Sessions;
  readonly repos: Repositories;
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly removed: Removed;
  /** The inbox: everything anywhere that waits for an answer. */
  suspensions(options?: CallOptions): Promise<SuspensionsReply>;
  /** Takes the unused answers of a run out of the inbox, which is the reply. */
  dismissUnused(
    sessionId: string,
    runId: string,
    options?: WriteOptions,
  ): Promise<SuspensionsReply>;
  /** Every session that waits for the event goes on; the reply says which. */
  reportEvent(
    name: string,
    request?: ReportEventRequest,
    options?: WriteOptions,
  ): Promise<ReportEventReply>;
  providers(options?: CallOptions): Promise<ProvidersReply>;
  stats(query?: StatsQuery, options?: CallOptions): Promise<Stats>;
  /**
   * Changes of all sessions, each as the session is then. Begins with `reset`, and says it again when
   * changes were missed: read again what is shown.
   */
  events(
    options?: CallOptions & { readonly after?: string | undefined },
  ): AsyncGenerator<StreamEvent, void, undefined>;

  /** Whether the process is alive. */
  health(options?: CallOptions): Promise<Health>;
  /** Whether requests would be served, and if not, why. */
  readiness(options?: CallOptions): Promise<Readiness>;
  /** As Prometheus reads them. */
  metrics(options?: CallOptions): Promise<string>;
}

export interface Repositories {
  list(options?: CallOptions): Promise<RepositoriesReply>;
  add(request: AddRepositoryRequest, options?: WriteOptions): Promise<Repository>;
  remove(id: string, options?: WriteOptions): Promise<Repository>;
  /** Files by letters of their path, the best match first. */
  files(
    id: string,
    query?: Partial<RepositoryFilesQuery>,
    options?: CallOptions,
  ): Promise<RepositoryFiles>;
}

/** Sessions that retention or cleanup removed, and whose bundles are still there. */
export interface Removed {
  list(query?: Partial<RemovedQuery>, options?: CallOptions): Promise<RemovedReply>;
  restore(id: string, options?: WriteOptions): Promise<Session>;
}

/** The servers that share the database; alone on a file. */
export interface Nodes {
  list(options?: CallOptions): Promise<NodesReply>;
  /** By id or name: it lets go of its work and takes no more; with `draining: false` it may again. */
  drain(id: string, request?: DrainNodeRequest, options?: WriteOptions): Promise<Node>;
}

/** Who may use the API. Needs a token with the scope `admin`, once there are any. */
export interface Tokens {
  list(options?: CallOptions): Promise<TokensReply>;
  /** The reply has the token itself, which is not shown again. */
  create(request: CreateTokenRequest, options?: WriteOptions): Promise<CreatedToken>;
  revoke(id: string, options?: WriteOptions): Promise<Token>;
}

export function createClient(options: ClientOptions): Client {
  const connection = createConnection(options);
  const { call, text } = connection;
  return {
    sessions: createSessions(connection),
    repos: createRepositories(connection),
    removed: createRemoved(connection),
    nodes: createNodes(connection),
    tokens: createTokens(connection),
    suspensions: (callOptions) =>
      call(suspensionsReplySchema, { ...callOptions, path: "/api/suspensions" }),
    dismissUnused: async (sessionId, runId, callOptions) =>
      call(suspensionsReplySchema, {
        ...callOptions,
        method: "POST",
        path: `/api/sessions/${segment(sessionId)}/runs/${segment(runId)}/dismiss`,
        body: {},
      }),
    reportEvent: async (name, body = {}, callOptions) =>
      call(reportEventReplySchema, {
        ...callOptions,
        method: "POST",
        path: `/api/events/${eventSegment(name)}`,
        body,
      }),
    providers: (callOptions) =>
      call(providersReplySchema, { ...callOptions, path: "/api/providers" }),
    stats: (query, callOptions) => call(statsSchema, { ...callOptions, path: "/api/stats", query }),
    events: ({ after = null, signal } = {}) =>
      streamEvents({
        connection,
        path: "/api/events",
        after,
        ofOneSession: false,
        signal,
      }),

    health: (callOptions) => call(healthSchema, { ...callOptions, path: "/healthz" }),
    readiness: (callOptions) =>
      call(readinessSchema, { ...callOptions, path: "/readyz", alsoStatus: 503 }),
    metrics: (callOptions) =>
      text({ ...callOptions, path: "/metrics", headers: { accept: "text/plain" } }),
  };
}

/** Events have names of any characters; one that would lead to another path is refused before it is sent. */
function eventSegment(name: string): string {
  if (["", ".", ".."].includes(name.trim()))
    throw new TypeError(`Not the name of an event: ${JSON.stringify(name)}`);
  return encodeURIComponent(name);
}

function createRepositories({ call }: Connection): Repositories {
  const path = "/api/repos";
  return {
    list: (options) => call(repositoriesReplySchema, { ...options, path }),
    add: (body, options) => call(repositorySchema, { ...options, method: "POST", path, body }),
    remove: async (id, options) =>
      call(repositorySchema, { ...options, method: "DELETE", path: `${path}/${segment(id)}` }),
    files: async (id, query, options) =>
      call(repositoryFilesSchema, { ...options, path: `${path}/${segment(id)}/files`, query }),
  };
}

function createRemoved({ call }: Connection): Removed {
  const path = "/api/removed";
  return {
    list: (query, options) => call(removedReplySchema, { ...options, path, query }),
    restore: async (id, options) =>
      call(sessionSchema, { ...options, method: "POST", path: `${path}/${segment(id)}/restore` }),
  };
}

function createNodes({ call }: Connection): Nodes {
  const path = "/api/nodes";
  return {
    list: (options) => call(nodesReplySchema, { ...options, path }),
    drain: async (id, body = {}, options) =>
      call(nodeSchema, {
        ...options,
        method: "POST",
        path: `${path}/${segment(id)}/drain`,
        body,
      }),
  };
}

function createTokens({ call }: Connection): Tokens {
  const path = "/api/tokens";
  return {
    list: (options) => call(tokensReplySchema, { ...options, path }),
    create: (body, options) => call(createdTokenSchema, { ...options, method: "POST", path, body }),
    revoke: async (id, options) =>
      call(tokenSchema, { ...options, method: "DELETE", path: `${path}/${segment(id)}` }),
  };
}
