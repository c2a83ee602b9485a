import type { SessionMcpServers } from "@holdfast/protocol";

/** The servers as JSON that a person can edit, without empty parts; empty if there are none. */
export function serversText(servers: SessionMcpServers): string {
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    Object.fromEntries(Object.entries(server).filter(([, value]) => !isEmpty(value))),
  ]);
  return entries.length === 0 ? "" : JSON.stringify(Object.fromEntries(entries), null, 2);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
