import type { Client, Nodes, Removed, Repositories, Sessions } from "@holdfast/client";

/** What commands ask of sessions: a running server, or straight the database. Both answer alike. */
export interface SessionGateway extends Pick<
  Client,
  "dismissUnused" | "providers" | "stats" | "suspensions"
> {
  readonly sessions: Pick<
    Sessions,
    | "answer"
    | "archive"
    | "cancel"
    | "create"
    | "delete"
    | "export"
    | "finalize"
    | "fork"
    | "get"
    | "list"
    | "raw"
    | "resume"
    | "send"
    | "shouldResume"
    | "update"
  > & {
    /** A bundle's lines, each without its newline. */
    importLines(lines: AsyncIterable<string>): ReturnType<Sessions["import"]>;
  };
  readonly repos: Pick<Repositories, "add" | "list" | "remove">;
  readonly nodes: Nodes;
  readonly removed: Removed;
  /** The server that is used; null when there is none. */
  readonly server: Client | null;
  close(): Promise<void>;
}
