import {
  connectionTo,
  createClient,
  createNodeTransport,
  createUncheckedClient,
  type Client,
  type Nodes,
  type Removed,
  type Repositories,
  type Sessions,
  type Tokens,
} from "@holdfast/client";
import type { Session } from "@holdfast/protocol";
import { VERSION } from "../version.ts";
import type { ServerAddress } from "./find-server.ts";

/** The requests of commands. A running server and the database itself give the same answers. */
export interface SessionGateway extends Pick<
  Client,
  "dismissUnused" | "logIn" | "providers" | "stats" | "suspensions"
> {
  readonly sessions: Pick<
    Sessions,
    | "answer"
    | "archive"
    | "branch"
    | "cancel"
    | "changes"
    | "commit"
    | "create"
    | "delete"
    | "export"
    | "fileDiff"
    | "finalize"
    | "fork"
    | "get"
    | "list"
    | "merge"
    | "options"
    | "patch"
    | "pullRequest"
    | "push"
    | "raw"
    | "rebase"
    | "resume"
    | "rewind"
    | "runs"
    | "send"
    | "shouldResume"
    | "update"
  > & {
    /** The session without its messages. */
    read(id: string): Promise<Session>;
    /** The lines of a bundle, without their newlines. */
    importLines(lines: AsyncIterable<string>): ReturnType<Sessions["import"]>;
  };
  readonly repos: Pick<Repositories, "add" | "list" | "remove">;
  readonly nodes: Nodes;
  readonly removed: Removed;
  readonly tokens: Tokens;
  /** The server's client; null when the database answers. */
  readonly server: Client | null;
  close(): Promise<void>;
}

export function serverGateway(address: ServerAddress): SessionGateway {
  const client = clientOf(address);
  const { sessions } = client;
  return {
    ...client,
    server: client,
    close: async () => {},
    sessions: {
      ...sessions,
      read: (id) => sessions.get(id, { tail: 1 }),
      importLines: (lines) => sessions.import(lines),
    },
  };
}

/** The replies of a server of this very version need no check, which would take most of the time of a short command. */
function clientOf({ client, version }: ServerAddress): Client {
  const connection = connectionTo(client);
  const isLocal = LOCAL.test(connection.url) && !("socketPath" in client);
  const options = isLocal ? { ...connection, fetch: createNodeTransport() } : connection;
  return version === VERSION ? createUncheckedClient(options) : createClient(options);
}

const LOCAL = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?=[:/]|$)/u;
