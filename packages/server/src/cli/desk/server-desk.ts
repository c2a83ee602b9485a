import { createClient } from "@holdfast/client";
import type { Desk } from "./desk.ts";

/** Through a running server. */
export function serverDesk({ url, token }: { url: string; token: string | null }): Desk {
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
