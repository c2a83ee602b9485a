import type {
  AddRepositoryRequest,
  BrowsersReply,
  CreateTokenRequest,
  CreatedToken,
  DrainNodeRequest,
  DatabaseCheck,
  Health,
  Node,
  NodesReply,
  OwnToken,
  ProviderLogin,
  ProvidersReply,
  Readiness,
  RemovedQuery,
  RemovedReply,
  ReportEventReply,
  ReportEventRequest,
  FoundRepositories,
  RepositoriesReply,
  Repository,
  RepositoryFiles,
  RepositoryFilesQuery,
  Session,
  SignedIn,
  SignedOut,
  SignInCode,
  SignInRequest,
  StartLoginRequest,
  Stats,
  StatsQuery,
  SuspensionsReply,
  UpdateProvidersRequest,
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
import { createSessions } from "./sessions.ts";
import { shapeValidation } from "./validation.ts";

/** The address of the server, or the path of its Unix socket, which needs no token. Sockets work only in Node. */
export type ClientOptions =
  | ConnectionOptions
  | (Omit<ConnectionOptions, "url" | "fetch"> & { readonly socketPath: string });

/** A typed Holdfast server. It runs in Node and in browsers. */
export type Client = ReturnType<typeof clientOf>;
export type Repositories = ReturnType<typeof createRepositories>;
/** Sessions that retention or cleanup removed and whose bundles still exist. */
export type Removed = ReturnType<typeof createRemoved>;
/** The servers that share the database; with SQLite only one. */
export type Nodes = ReturnType<typeof createNodes>;
/** Needs the scope `admin`. */
export type Tokens = ReturnType<typeof createTokens>;

/**
 * A client that checks only the outer shape of replies. It leaves the schemas out of a bundle: for pages
 * that are served by the server they talk to.
 */
export function createUncheckedClient(options: ConnectionOptions): Client {
  return clientOf(createConnection(options, shapeValidation));
}

/** All calls of the API, through a connection. */
export function clientOf(connection: Connection) {
  const { call, text } = connection;
  return {
    sessions: createSessions(connection),
    repos: createRepositories(connection),
    removed: createRemoved(connection),
    nodes: createNodes(connection),
    tokens: createTokens(connection),
    /** The rights of this client. */
    ownToken: (options?: CallOptions): Promise<OwnToken> =>
      call("ownTokenSchema", "GET", "/api/token", options),
    /** The inbox: everything in all sessions that waits for an answer. */
    suspensions: (options?: CallOptions): Promise<SuspensionsReply> =>
      call("suspensionsReplySchema", "GET", "/api/suspensions", options),
    /** Removes the unused answers of a run from the inbox. Returns the inbox. */
    dismissUnused: async (
      sessionId: string,
      runId: string,
      options?: WriteOptions,
    ): Promise<SuspensionsReply> => {
      const path = `/api/sessions/${segment(sessionId)}/runs/${segment(runId)}/dismiss`;
      return call("suspensionsReplySchema", "POST", path, { ...options, body: {} });
    },
    /** Resumes every session that waits for the event. Returns these sessions. */
    reportEvent: async (
      name: string,
      body?: ReportEventRequest,
      options?: WriteOptions,
    ): Promise<ReportEventReply> => {
      const path = `/api/events/${eventSegment(name)}`;
      return call("reportEventReplySchema", "POST", path, { ...options, body: body ?? {} });
    },
    providers: (options?: CallOptions): Promise<ProvidersReply> =>
      call("providersReplySchema", "GET", "/api/providers", options),
    /** Needs the scope `admin`. */
    updateProviders: (
      body: UpdateProvidersRequest,
      options?: CallOptions,
    ): Promise<ProvidersReply> =>
      call("providersReplySchema", "PATCH", "/api/providers", { ...options, body }),
    /**
     * Without a method: somebody has logged in, so all runs that wait for it go on. With a method that the agent does itself:
     * starts the login. Needs the scope `admin`.
     */
    logIn: async (
      provider: string,
      body?: StartLoginRequest,
      options?: CallOptions,
    ): Promise<ProviderLogin> => {
      const path = `/api/providers/${segment(provider)}/login`;
      return call("providerLoginSchema", "POST", path, { ...options, body: body ?? {} });
    },
    /** The latest login that the server started. Needs the scope `admin`. */
    login: async (provider: string, options?: CallOptions): Promise<ProviderLogin> =>
      call("providerLoginSchema", "GET", `/api/providers/${segment(provider)}/login`, options),
    cancelLogin: async (provider: string, options?: CallOptions): Promise<ProviderLogin> =>
      call("providerLoginSchema", "DELETE", `/api/providers/${segment(provider)}/login`, options),
    /** Needs the scope `admin`. */
    logOut: async (provider: string, options?: CallOptions): Promise<ProviderLogin> => {
      const path = `/api/providers/${segment(provider)}/logout`;
      return call("providerLoginSchema", "POST", path, { ...options, body: {} });
    },
    stats: (query?: StatsQuery, options?: CallOptions): Promise<Stats> =>
      call("statsSchema", "GET", "/api/stats", { ...options, query }),
    /**
     * Yields a session whenever it changes, for all sessions. Begins with `reset`, and repeats it after
     * missed changes: then read everything again.
     */
    events: (
      options?: CallOptions & { readonly after?: string | undefined },
    ): AsyncGenerator<StreamEvent, void, undefined> => {
      const { after = null, signal } = options ?? {};
      return streamEvents({ connection, path: "/api/events", after, ofOneSession: false, signal });
    },

    browsers: createBrowsers(connection),
    /** For a page: the reply sets a cookie, and has the key to send with it. */
    signIn: (body: SignInRequest, options?: CallOptions): Promise<SignedIn> =>
      call("signedInSchema", "POST", "/api/sign-in", { ...options, body }),
    signOut: (options?: CallOptions): Promise<SignedOut> =>
      call("signedOutSchema", "POST", "/api/sign-out", options),
    /** A code that signs in one browser at `/#code=CODE`. */
    signInCode: (options?: CallOptions): Promise<SignInCode> =>
      call("signInCodeSchema", "POST", "/api/sign-in-codes", options),

    /** Succeeds while the process is alive. */
    health: (options?: CallOptions): Promise<Health> =>
      call("healthSchema", "GET", "/healthz", options),
    /** Says whether the server accepts requests, and if not, why. */
    readiness: (options?: CallOptions): Promise<Readiness> =>
      call("readinessSchema", "GET", "/readyz", { ...options, alsoStatus: 503 }),
    /** Reads the whole database file and describes damaged places. */
    checkDatabase: (options?: WriteOptions): Promise<DatabaseCheck> =>
      call("databaseCheckSchema", "POST", "/api/database/check", options),
    /** In the format of Prometheus. */
    metrics: (options?: CallOptions): Promise<string> =>
      text({ ...options, path: "/metrics", headers: { accept: "text/plain" } }),
  };
}

/** Event names may have any characters. Throws for one that would lead to another path. */
function eventSegment(name: string): string {
  if (["", ".", ".."].includes(name.trim()))
    throw new TypeError(`Not the name of an event: ${JSON.stringify(name)}`);
  return encodeURIComponent(name);
}

function createRepositories({ call }: Connection) {
  const path = "/api/repos";
  return {
    list: (options?: CallOptions): Promise<RepositoriesReply> =>
      call("repositoriesReplySchema", "GET", path, options),
    /** Repositories in the workspace root that are not added yet. */
    find: (options?: CallOptions): Promise<FoundRepositories> =>
      call("foundRepositoriesSchema", "GET", `${path}/found`, options),
    add: (body: AddRepositoryRequest, options?: WriteOptions): Promise<Repository> =>
      call("repositorySchema", "POST", path, { ...options, body }),
    remove: async (id: string, options?: WriteOptions): Promise<Repository> =>
      call("repositorySchema", "DELETE", `${path}/${segment(id)}`, options),
    /** Fuzzy search by path, best match first. */
    files: async (
      id: string,
      query?: Partial<RepositoryFilesQuery>,
      options?: CallOptions,
    ): Promise<RepositoryFiles> =>
      call("repositoryFilesSchema", "GET", `${path}/${segment(id)}/files`, { ...options, query }),
  };
}

function createRemoved({ call }: Connection) {
  const path = "/api/removed";
  return {
    list: (query?: Partial<RemovedQuery>, options?: CallOptions): Promise<RemovedReply> =>
      call("removedReplySchema", "GET", path, { ...options, query }),
    restore: async (id: string, options?: WriteOptions): Promise<Session> =>
      call("sessionSchema", "POST", `${path}/${segment(id)}/restore`, options),
  };
}

function createNodes({ call }: Connection) {
  const path = "/api/nodes";
  return {
    list: (options?: CallOptions): Promise<NodesReply> =>
      call("nodesReplySchema", "GET", path, options),
    /** By id or name. A draining node finishes its work and accepts no more; `draining: false` ends that. */
    drain: async (id: string, body?: DrainNodeRequest, options?: WriteOptions): Promise<Node> =>
      call("nodeSchema", "POST", `${path}/${segment(id)}/drain`, { ...options, body: body ?? {} }),
  };
}

function createBrowsers({ call }: Connection) {
  const path = "/api/browsers";
  return {
    list: (options?: CallOptions): Promise<BrowsersReply> =>
      call("browsersReplySchema", "GET", path, options),
    signOut: async (id: string, options?: CallOptions): Promise<SignedOut> =>
      call("signedOutSchema", "DELETE", `${path}/${segment(id)}`, options),
    signOutAll: (options?: CallOptions): Promise<SignedOut> =>
      call("signedOutSchema", "DELETE", path, options),
  };
}

function createTokens({ call }: Connection) {
  const path = "/api/tokens";
  return {
    list: (options?: CallOptions): Promise<TokensReply> =>
      call("tokensReplySchema", "GET", path, options),
    /** Returns the token itself, which is not shown again. */
    create: (body: CreateTokenRequest, options?: WriteOptions): Promise<CreatedToken> =>
      call("createdTokenSchema", "POST", path, { ...options, body }),
    revoke: async (id: string, options?: WriteOptions): Promise<Token> =>
      call("tokenSchema", "DELETE", `${path}/${segment(id)}`, options),
  };
}
