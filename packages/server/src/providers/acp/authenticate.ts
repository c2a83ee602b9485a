import { AgentFault } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import type { AuthMethod } from "./capabilities.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";

export interface LoginOptions {
  readonly link: AcpLink;
  readonly title: string;
  readonly methods: readonly AuthMethod[];
  /** The one configured; null leaves the choice to what is set in the agent's environment. */
  readonly configured: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly startMs: number;
  readonly signal: AbortSignal;
}

/** Does what an agent refuses before somebody has logged in: logs in when that needs nobody, and tries again. */
export async function withLogin<Value>(
  options: LoginOptions,
  attempt: () => Promise<Value>,
): Promise<Value> {
  try {
    return await attempt();
  } catch (error) {
    if (!isLoginWanted(error)) throw error;
  }
  await logIn(options);
  try {
    return await attempt();
  } catch (error) {
    throw isLoginWanted(error) ? loginFault(options, error) : error;
  }
}

async function logIn(options: LoginOptions): Promise<void> {
  const { link, configured, methods, environment, startMs, signal } = options;
  const methodId = configured ?? methods.find((method) => isReady(method, environment))?.id;
  if (methodId === undefined) throw loginFault(options);
  try {
    await link.request("authenticate", { methodId }, { timeoutMs: startMs, signal });
  } catch (error) {
    throw error instanceof RpcError ? loginFault(options, error) : error;
  }
}

function isReady(
  { variables }: AuthMethod,
  environment: Readonly<Record<string, string>>,
): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  return variables.length > 0 && variables.every((names) => names.some(isSet));
}

function isLoginWanted(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === RPC_CODES.authRequired;
}

function loginFault({ title, methods }: LoginOptions, cause?: unknown): AgentFault {
  const names = methods.map(({ name }) => name).join(", ");
  const how = names === "" ? "it does not say how" : `it offers ${names}`;
  const detail = methods.map(({ id, name, description }) =>
    [`${name} (${id})`, ...(description === null ? [] : [description])].join(": "),
  );
  return new AgentFault("agent_needs_login", `${title} wants somebody to log in first; ${how}`, {
    detail: detail.join("\n") || null,
    cause,
  });
}
