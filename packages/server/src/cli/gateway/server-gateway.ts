import { createClient } from "@holdfast/client";
import type { SessionGateway } from "./session-gateway.ts";

/** Through a running server. */
export function serverGateway({
  url,
  token,
}: {
  url: string;
  token: string | null;
}): SessionGateway {
  const client = createClient({ url, token: token ?? undefined });
  return {
    server: client,
    close: async () => {},
    sessions: {
      ...client.sessions,
      importLines: (lines) => client.sessions.import(lines),
    },
    repos: client.repos,
    nodes: client.nodes,
    removed: client.removed,
    suspensions: client.suspensions,
    dismissUnused: client.dismissUnused,
    providers: client.providers,
    stats: client.stats,
  };
}
