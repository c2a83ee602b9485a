import { problemSchema } from "@holdfast/protocol";

/** What a call came to: the reply's body, or why there is none, in a sentence for the agent. */
export type Called =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly reason: string };

export interface AgentApi {
  get(where: string, query: Readonly<Record<string, string | number | undefined>>): Promise<Called>;
  post(where: string, body: object): Promise<Called>;
}

const ANSWER_WITHIN_MS = 30_000;

/** The server's routes for the tools of one session's agent. */
export function createAgentApi({
  url,
  token,
}: {
  readonly url: string;
  readonly token: string;
}): AgentApi {
  const headers = { authorization: `Bearer ${token}` };
  return {
    get: (where, query) => {
      const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      return call(`${url}/${where}?${new URLSearchParams(given).toString()}`, { headers });
    },
    post: (where, body) =>
      call(`${url}/${where}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

async function call(url: string, request: RequestInit): Promise<Called> {
  try {
    const response = await fetch(url, {
      ...request,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, body };
    const problem = problemSchema.safeParse(body);
    const reason = problem.success
      ? `${problem.data.code}: ${problem.data.detail}`
      : `the server answered with ${response.status}`;
    return { ok: false, reason };
  } catch {
    return { ok: false, reason: "the server could not be reached" };
  }
}
