/** Invalid updates. */
export const oddUpdates: readonly unknown[] = [
  { sessionUpdate: "brand_new_update", x: 1 },
  { sessionUpdate: "agent_message_chunk", content: { type: "hologram", beams: 3 } },
  { sessionUpdate: "agent_message_chunk", content: null },
  { sessionUpdate: "tool_call", toolCallId: 7, title: null, kind: "weird", status: "cancelled" },
  { sessionUpdate: "usage_update", used: null, size: "many" },
  { sessionUpdate: 12 },
  { no: "kind" },
  "text",
  null,
  [],
];

/** Lines that are not, or only almost, JSON-RPC. */
export const badFrames: readonly string[] = [
  "[]",
  '[{"jsonrpc":"2.0","id":1,"method":"a"}]',
  "42",
  "null",
  '"text"',
  "{}",
  '{"jsonrpc":"1.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":{"a":1},"result":{}}',
  '{"jsonrpc":"2.0","id":null,"result":{}}',
  '{"jsonrpc":"2.0","method":12}',
  '{"jsonrpc":"2.0","method":"session/update"}',
  '{"jsonrpc":"2.0","method":"session/update","params":[]}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":5,"update":{}}}',
  '{"jsonrpc":"2.0","id":99999,"result":{},"error":{"code":1,"message":"both"}}',
  '{"jsonrpc":"2.0","id":99998,"error":"text"}',
  '{"broken": ',
];

/** An update whose JSON is nested this deep, written as text without building the value. */
export function deepLine(sessionId: string, depth: number): string {
  const nested = "[".repeat(depth) + "]".repeat(depth);
  return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${JSON.stringify(sessionId)},"update":{"sessionUpdate":"deep","value":${nested}}}}\n`;
}
