import { z } from "zod";
import { defined } from "../../../packages/client/src/index.ts";

const replySchema = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .optional(),
});

/** One request of the version of 2026, without a library. */
export interface RawMcp {
  readonly url: string;
  readonly token: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface RawReply {
  readonly status: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const WITH_TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } } as const;
export const WITH_FORMS = { ...WITH_TASKS, elicitation: { form: {} } } as const;

const VERSION = "2026-07-28";

export async function askRaw(
  { url, token, capabilities }: RawMcp,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<RawReply> {
  const name = params["taskId"] ?? params["name"] ?? params["uri"];
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta() } }),
  });
  const reply = replySchema.parse(await response.json());
  return { ...defined(reply), status: response.status };

  function meta() {
    return {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
  }
}

/** The result of a request that must succeed. */
export async function resultOf(
  from: RawMcp,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const { result, error } = await askRaw(from, method, params);
  if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
