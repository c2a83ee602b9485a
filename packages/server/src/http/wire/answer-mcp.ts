/** Answers one message of an agent's MCP client. The composition root provides it. */
export type AnswerMcp = (request: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Calls a route for agents of the same session, with the same key. */
  readonly call: (request: AgentCall) => Promise<AgentCallReply>;
}) => Promise<Response>;

interface AgentCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
}

export interface AgentCallReply {
  readonly status: number;
  readonly body: unknown;
}
