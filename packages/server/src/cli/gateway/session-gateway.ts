import {
  createClient,
  type Client,
  type Nodes,
  type Removed,
  type Repositories,
  type Sessions,
  type Tokens,
} from "@holdfast/client";
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

export function serverGateway(address: Pick<ServerAddress, "client">): SessionGateway {
  const client = createClient(address.client);
  const { sessions } = client;
  return {
    ...client,
    server: client,
    close: async () => {},
    sessions: { ...sessions, importLines: (lines) => sessions.import(lines) },
  };
}
