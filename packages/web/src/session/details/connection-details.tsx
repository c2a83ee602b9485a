import type { Session, SessionMcpServers } from "@holdfast/protocol";
import type { ReactElement } from "react";

type Connections = Pick<Session, "mcpServers" | "directories">;

/** The MCP servers and further directories of a session. */
export function ConnectionDetails({
  session: { mcpServers, directories },
}: {
  readonly session: Connections;
}): ReactElement {
  return (
    <dl className="flex flex-col gap-3">
      {Object.entries(mcpServers).map(([name, server]) => (
        <div key={name}>
          <dt className="font-medium wrap-anywhere">{name}</dt>
          <dd className="font-mono text-xs wrap-anywhere text-muted">
            {targetOf(server)}
            {namesOf(server).map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
          </dd>
        </div>
      ))}
      {directories.length > 0 && (
        <div>
          <dt className="font-medium">Directories</dt>
          {directories.map((directory) => (
            <dd key={directory} className="font-mono text-xs wrap-anywhere text-muted">
              {directory}
            </dd>
          ))}
        </div>
      )}
    </dl>
  );
}

type Server = SessionMcpServers[string];

function targetOf(server: Server): string {
  return server.type === "stdio"
    ? [server.command, ...server.args].join(" ")
    : `${server.type.toUpperCase()} ${server.url}`;
}

/** Its variables or headers. A value from a variable of the server is shown by the name of that variable. */
function namesOf(server: Server): readonly string[] {
  const [own, from] =
    server.type === "stdio" ? [server.env, server.envFrom] : [server.headers, server.headersFrom];
  return [
    ...Object.entries(own).map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(from).map(([name, variable]) => `${name}: from ${variable}`),
  ];
}
