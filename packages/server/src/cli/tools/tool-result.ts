import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ApiReply } from "./agent-api.ts";

/** The result of a tool, as a text. */
export function toResult(reply: ApiReply, textOf: (body: unknown) => string): CallToolResult {
  if (reply.ok) return { content: [{ type: "text", text: textOf(reply.body) }] };
  return { isError: true, content: [{ type: "text", text: `Refused: ${reply.reason}` }] };
}
