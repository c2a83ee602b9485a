import { problemSchema } from "@holdfast/protocol";
import type { AgentCallReply } from "../../http/wire/answer-mcp.ts";

/** The body of a reply, or the reason of a failure, for the agent. */
export type ApiReply =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly reason: string };

export interface AgentApi {
  get(
    where: string,
    query: Readonly<Record<string, string | number | undefined>>,
  ): Promise<ApiReply>;
  post(where: string, body: object, timeoutMs?: number): Promise<ApiReply>;
}

const TIMEOUT_MS = 30_000;

/** The server's routes for the tools of one session's agent. */
export function createAgentApi(url: string, token: string): AgentApi {
  const headers = { authorization: `Bearer ${token}` };
  return {
    get: (where, query) => {
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) parameters.set(name, String(value));
      return call(`${url}/${where}?${parameters.toString()}`, { headers }, TIMEOUT_MS);
    },
    post: (where, body, timeoutMs = TIMEOUT_MS) => {
      const contentType = { "content-type": "application/json" };
      const request = { method: "POST", headers: { ...headers, ...contentType } };
      return call(`${url}/${where}`, { ...request, body: JSON.stringify(body) }, timeoutMs);
    },
  };
}

async function call(url: string, request: RequestInit, timeoutMs: number): Promise<ApiReply> {
  try {
    const response = await fetch(url, {
      ...request,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return toApiReply({ status: response.status, body: await response.json() });
  } catch {
    return { ok: false, reason: "the server could not be reached" };
  }
}

/** The reply of a route for agents. */
export function toApiReply({ status, body }: AgentCallReply): ApiReply {
  if (status < 300) return { ok: true, body };
  const problem = problemSchema.safeParse(body);
  const reason = problem.success
    ? `${problem.data.code}: ${problem.data.detail}`
    : `the server answered with ${status}`;
  return { ok: false, reason };
}
