import {
  healthSchema,
  providersReplySchema,
  readinessSchema,
  repositoriesReplySchema,
  repositorySchema,
  statsSchema,
  suspensionsReplySchema,
  type AddRepositoryRequest,
  type Health,
  type ProvidersReply,
  type Readiness,
  type RepositoriesReply,
  type Repository,
  type Stats,
  type StatsQuery,
  type SuspensionsReply,
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
  /** The inbox: everything anywhere that waits for an answer. */
  suspensions(options?: CallOptions): Promise<SuspensionsReply>;
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
}

export function createClient(options: ClientOptions): Client {
  const connection = createConnection(options);
  const { call, text } = connection;
  return {
    sessions: createSessions(connection),
    repos: createRepositories(connection),
    suspensions: (callOptions) =>
      call(suspensionsReplySchema, { ...callOptions, path: "/api/suspensions" }),
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

function createRepositories({ call }: Connection): Repositories {
  const path = "/api/repos";
  return {
    list: (options) => call(repositoriesReplySchema, { ...options, path }),
    add: (body, options) => call(repositorySchema, { ...options, method: "POST", path, body }),
    remove: async (id, options) =>
      call(repositorySchema, { ...options, method: "DELETE", path: `${path}/${segment(id)}` }),
  };
}
