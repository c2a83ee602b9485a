import type {
  AddRepositoryRequest,
  CreateTokenRequest,
  CreatedToken,
  DrainNodeRequest,
  Health,
  Node,
  NodesReply,
  ProvidersReply,
  Readiness,
  RemovedQuery,
  RemovedReply,
  ReportEventReply,
  ReportEventRequest,
  RepositoriesReply,
  Repository,
  RepositoryFiles,
  RepositoryFilesQuery,
  Session,
  Stats,
  StatsQuery,
  SuspensionsReply,
  Token,
  TokensReply,
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
import { schemaValidation, shapeValidation } from "./validation.ts";

export type ClientOptions = ConnectionOptions;

/** A typed Holdfast server. Uses only `fetch`: it runs in Node and in browsers. */
export interface Client {
  readonly sessions: Sessions;
  readonly repos: Repositories;
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly removed: Removed;
  /** The inbox: everything in all sessions that waits for an answer. */
  suspensions(options?: CallOptions): Promise<SuspensionsReply>;
  /** Removes the unused answers of a run from the inbox. Returns the inbox. */
  dismissUnused(
    sessionId: string,
    runId: string,
    options?: WriteOptions,
  ): Promise<SuspensionsReply>;
  /** Resumes every session that waits for the event. Returns these sessions. */
  reportEvent(
    name: string,
    request?: ReportEventRequest,
    options?: WriteOptions,
  ): Promise<ReportEventReply>;
  providers(options?: CallOptions): Promise<ProvidersReply>;
  stats(query?: StatsQuery, options?: CallOptions): Promise<Stats>;
  /**
   * Yields a session whenever it changes, for all sessions. Begins with `reset`, and repeats it after
   * missed changes: then read everything again.
   */
  events(
    options?: CallOptions & { readonly after?: string | undefined },
  ): AsyncGenerator<StreamEvent, void, undefined>;

  /** Succeeds while the process is alive. */
  health(options?: CallOptions): Promise<Health>;
  /** Says whether the server accepts requests, and if not, why. */
  readiness(options?: CallOptions): Promise<Readiness>;
  /** In the format of Prometheus. */
  metrics(options?: CallOptions): Promise<string>;
}

export interface Repositories {
  list(options?: CallOptions): Promise<RepositoriesReply>;
  add(request: AddRepositoryRequest, options?: WriteOptions): Promise<Repository>;
  remove(id: string, options?: WriteOptions): Promise<Repository>;
  /** Fuzzy search by path, best match first. */
  files(
    id: string,
    query?: Partial<RepositoryFilesQuery>,
    options?: CallOptions,
  ): Promise<RepositoryFiles>;
}

/** Sessions that retention or cleanup removed and whose bundles still exist. */
export interface Removed {
  list(query?: Partial<RemovedQuery>, options?: CallOptions): Promise<RemovedReply>;
  restore(id: string, options?: WriteOptions): Promise<Session>;
}

/** The servers that share the database; with SQLite only one. */
export interface Nodes {
  list(options?: CallOptions): Promise<NodesReply>;
  /** By id or name. A draining node finishes its work and accepts no more; `draining: false` ends that. */
  drain(id: string, request?: DrainNodeRequest, options?: WriteOptions): Promise<Node>;
}

/** Needs a token with the scope `admin`, once there is one. */
export interface Tokens {
  list(options?: CallOptions): Promise<TokensReply>;
  /** Returns the token itself, which is not shown again. */
  create(request: CreateTokenRequest, options?: WriteOptions): Promise<CreatedToken>;
  revoke(id: string, options?: WriteOptions): Promise<Token>;
}

export function createClient(options: ClientOptions): Client {
  return clientOf(createConnection(options, schemaValidation));
}

/**
 * A client that checks only the outer shape of replies. It leaves the schemas out of a bundle: for pages
 * that are served by the server they talk to.
 */
export function createUncheckedClient(options: ClientOptions): Client {
  return clientOf(createConnection(options, shapeValidation));
}

function clientOf(connection: Connection): Client {
  const { call, text } = connection;
  return {
    sessions: createSessions(connection),
    repos: createRepositories(connection),
    removed: createRemoved(connection),
    nodes: createNodes(connection),
    tokens: createTokens(connection),
    suspensions: (callOptions) => call("suspensions", { ...callOptions, path: "/api/suspensions" }),
    dismissUnused: async (sessionId, runId, callOptions) =>
      call("suspensions", {
        ...callOptions,
        method: "POST",
        path: `/api/sessions/${segment(sessionId)}/runs/${segment(runId)}/dismiss`,
        body: {},
      }),
    reportEvent: async (name, body = {}, callOptions) =>
      call("reportedEvent", {
        ...callOptions,
        method: "POST",
        path: `/api/events/${eventSegment(name)}`,
        body,
      }),
    providers: (callOptions) => call("providers", { ...callOptions, path: "/api/providers" }),
    stats: (query, callOptions) => call("stats", { ...callOptions, path: "/api/stats", query }),
    events: ({ after = null, signal } = {}) =>
      streamEvents({
        connection,
        path: "/api/events",
        after,
        ofOneSession: false,
        signal,
      }),

    health: (callOptions) => call("health", { ...callOptions, path: "/healthz" }),
    readiness: (callOptions) =>
      call("readiness", { ...callOptions, path: "/readyz", alsoStatus: 503 }),
    metrics: (callOptions) =>
      text({ ...callOptions, path: "/metrics", headers: { accept: "text/plain" } }),
  };
}

/** Event names may have any characters. Throws for one that would lead to another path. */
function eventSegment(name: string): string {
  if (["", ".", ".."].includes(name.trim()))
    throw new TypeError(`Not the name of an event: ${JSON.stringify(name)}`);
  return encodeURIComponent(name);
}

function createRepositories({ call }: Connection): Repositories {
  const path = "/api/repos";
  return {
    list: (options) => call("repositories", { ...options, path }),
    add: (body, options) => call("repository", { ...options, method: "POST", path, body }),
    remove: async (id, options) =>
      call("repository", { ...options, method: "DELETE", path: `${path}/${segment(id)}` }),
    files: async (id, query, options) =>
      call("repositoryFiles", { ...options, path: `${path}/${segment(id)}/files`, query }),
  };
}

function createRemoved({ call }: Connection): Removed {
  const path = "/api/removed";
  return {
    list: (query, options) => call("removed", { ...options, path, query }),
    restore: async (id, options) =>
      call("session", { ...options, method: "POST", path: `${path}/${segment(id)}/restore` }),
  };
}

function createNodes({ call }: Connection): Nodes {
  const path = "/api/nodes";
  return {
    list: (options) => call("nodes", { ...options, path }),
    drain: async (id, body = {}, options) =>
      call("node", {
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
    list: (options) => call("tokens", { ...options, path }),
    create: (body, options) => call("createdToken", { ...options, method: "POST", path, body }),
    revoke: async (id, options) =>
      call("token", { ...options, method: "DELETE", path: `${path}/${segment(id)}` }),
  };
}
