import { readFileSync } from "node:fs";
import path from "node:path";
import { mcpServersSchema, type UpdateSessionRequest } from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import { errorText } from "../../domain/error-text.ts";
import { isObject } from "../../domain/json.ts";
import { CommandFailure, EXIT } from "../exit.ts";

/** The options of commands that connect a session to further things. */
export interface ConnectionFlags {
  readonly mcp?: readonly string[];
  readonly mcpFile?: string;
  readonly directory?: readonly string[];
  /** The folders of this machine mean nothing to the server of a URL. */
  readonly url?: string;
}

type Connections = Pick<UpdateSessionRequest, "mcpServers" | "directories">;

export function connectionsOf({ mcp, mcpFile, directory, url }: ConnectionFlags): Connections {
  const servers = {
    ...(mcpFile !== undefined && readServers(mcpFile)),
    ...Object.fromEntries((mcp ?? []).map(parseServer)),
  };
  const isGiven = mcp !== undefined || mcpFile !== undefined;
  const directories = directory?.map((folder) =>
    url === undefined ? path.resolve(folder) : folder,
  );
  return defined({ mcpServers: isGiven ? checkServers(servers) : undefined, directories });
}

/** `NAME=URL` or `NAME=COMMAND ARGUMENT…`. */
function parseServer(text: string): [string, object] {
  const [, name, value] = /^([^=]+)=(\S.*)$/su.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandFailure(
      "--mcp must be NAME=URL or NAME=COMMAND, for example: --mcp docs=https://example.com/mcp",
      EXIT.usage,
    );
  if (/^https?:\/\//u.test(value)) return [name, { type: "http", url: value }];
  const [command, ...args] = value.trim().split(/\s+/u);
  return [name, { command, args }];
}

/** The file has the form that other programs use, `{"mcpServers": {…}}`, or only the servers. */
function readServers(file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${errorText(error)}`, EXIT.usage, {
      cause: error,
    });
  }
  const servers = isObject(value) ? (value["mcpServers"] ?? value) : null;
  if (isObject(servers)) return servers;
  throw new CommandFailure(
    `${file} must contain a JSON object such as {"mcpServers": {"docs": {"command": "docs-server"}}}`,
    EXIT.usage,
  );
}

function checkServers(servers: object): Connections["mcpServers"] {
  const parsed = mcpServersSchema.safeParse(servers);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = ["mcpServers", ...(issue?.path ?? [])].map(String).join(".");
  const [ofName] = issue?.code === "invalid_key" ? issue.issues : [];
  const reason = ofName?.message ?? issue?.message ?? "is invalid";
  throw new CommandFailure(`${where}: ${reason}.`, EXIT.usage);
}
