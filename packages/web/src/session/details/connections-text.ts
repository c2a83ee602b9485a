import type { Session } from "@holdfast/protocol";

/** Such as `2 MCP servers, 1 directory`; empty if there are none. */
export function connectionsText({
  mcpServers,
  directories,
}: Pick<Session, "mcpServers" | "directories">): string {
  return [
    countOf(Object.keys(mcpServers).length, "MCP server", "MCP servers"),
    countOf(directories.length, "directory", "directories"),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function countOf(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}
