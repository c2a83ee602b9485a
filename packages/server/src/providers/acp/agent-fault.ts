import { cleanText } from "../../domain/clean-text.ts";
import type { LoginMethod } from "../login.ts";
import { AgentFault } from "../provider.ts";
import type { ProcessExit } from "./process/spawn-agent.ts";
import { looseNumber, looseObject, type Loose } from "./wire/loose.ts";
import { PeerFault, RPC_CODES, RpcError } from "./wire/rpc-error.ts";

/** Classifies an agent's error by its codes, never by its text. */
export function faultOfError(
  name: string,
  error: RpcError,
  login: readonly LoginMethod[] = [],
): AgentFault {
  const message = `${name}: ${limited(error.message, MAX_MESSAGE)}`;
  const options = { detail: detailOf(error.data), cause: error };
  const codes = codesOf(error);
  if (error.code === RPC_CODES.authRequired) {
    return new AgentFault("agent_needs_login", message, { ...options, login });
  }
  if (codes.includes(429)) {
    const retryAfterMs = retryAfterOf(looseObject(error.data));
    const passing = { ...options, isPassing: true, retryAfterMs };
    return new AgentFault("agent_rate_limited", message, passing);
  }
  if (codes.some(isDisconnection)) {
    return new AgentFault("agent_disconnected", message, { ...options, isPassing: true });
  }
  return new AgentFault("agent_failed", message, options);
}

export function faultOfExit(name: string, exit: ProcessExit, detail: string | null): AgentFault {
  const { code, signal } = exit;
  const how =
    signal === null ? `exited with code ${code ?? "unknown"}` : `was terminated by ${signal}`;
  return new AgentFault("agent_exited", `${name} ${how}`, { detail });
}

/** The error's own code and those in its data. Strings of three digits become numbers. */
function codesOf({ code, data }: RpcError): readonly unknown[] {
  const fields = looseObject(data);
  return [code, fields?.["status"], fields?.["statusCode"], fields?.["code"]].map((value) =>
    typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value,
  );
}

function isDisconnection(code: unknown): boolean {
  return DISCONNECTIONS.has(code) || (typeof code === "string" && code.startsWith("UND_ERR_"));
}

const DISCONNECTIONS: ReadonlySet<unknown> = new Set([
  500,
  502,
  503,
  504,
  529,
  "ECONNRESET",
  "ECONNREFUSED",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EPIPE",
]);

/** Without "ms" in the name, the value is in seconds, as in the HTTP header. */
function retryAfterOf(data: Loose | null): number | null {
  const ms = looseNumber(data?.["retryAfterMs"]) ?? looseNumber(data?.["retry_after_ms"]);
  const value = data?.["retryAfter"] ?? data?.["retry_after"];
  const seconds = typeof value === "string" && value !== "" ? Number(value) : looseNumber(value);
  const wait = ms ?? (seconds === null ? null : seconds * 1000);
  return wait !== null && Number.isFinite(wait) && wait >= 0 ? Math.round(wait) : null;
}

function detailOf(data: unknown): string | null {
  if (data === undefined || data === null) return null;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return limited(text, MAX_DETAIL);
}

function limited(text: string, maxLength: number): string {
  return cleanText(text.slice(0, maxLength));
}

const MAX_MESSAGE = 2000;
const MAX_DETAIL = 16 * 1024;

/**
 * An agent that exits or fails while it starts has received no prompt, so another start repeats nothing. Agents that
 * start at the same time can disturb each other. An error about our request itself would come again.
 */
export function isWorthAnotherStart(error: unknown): boolean {
  if (error instanceof PeerFault) return error.code === "closed";
  return error instanceof RpcError && !PERMANENT.has(error.code);
}

const PERMANENT: ReadonlySet<number> = new Set([
  RPC_CODES.authRequired,
  RPC_CODES.invalidRequest,
  RPC_CODES.methodNotFound,
  RPC_CODES.invalidParams,
]);

export function asPassing(fault: AgentFault): AgentFault {
  const { code, message, detail, retryAfterMs, cause } = fault;
  return new AgentFault(code, message, { detail, retryAfterMs, cause, isPassing: true });
}
