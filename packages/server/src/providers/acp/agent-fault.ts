import { cleanText } from "../../domain/clean-text.ts";
import { AgentFault } from "../provider.ts";
import type { Redact } from "../redact.ts";
import { looseNumber, looseObject, type Loose } from "./wire/loose.ts";
import { RPC_CODES, type RpcError } from "./wire/rpc-error.ts";
import type { ProcessExit } from "./process/spawn-agent.ts";

/** What an agent's error means, told by its codes: the words are for people. */
export function faultOfError(name: string, error: RpcError, redact: Redact): AgentFault {
  const message = `${name}: ${shown(error.message, redact, MAX_MESSAGE)}`;
  const options = { detail: detailOf(error.data, redact), cause: error };
  const codes = codesOf(error);
  if (error.code === RPC_CODES.authRequired) {
    return new AgentFault("agent_needs_login", message, options);
  }
  if (codes.includes(429)) {
    const retryAfterMs = retryAfterOf(looseObject(error.data));
    return new AgentFault("agent_rate_limited", message, {
      ...options,
      isPassing: true,
      retryAfterMs,
    });
  }
  if (codes.some(isDisconnection)) {
    return new AgentFault("agent_disconnected", message, { ...options, isPassing: true });
  }
  return new AgentFault("agent_failed", message, options);
}

export function faultOfExit(name: string, exit: ProcessExit, detail: string | null): AgentFault {
  const how = exit.signal === null ? `with code ${exit.code ?? "unknown"}` : `by ${exit.signal}`;
  return new AgentFault("agent_exited", `${name} ended ${how}`, { detail });
}

function codesOf({ code, data }: RpcError): readonly (number | string)[] {
  const parts = looseObject(data);
  const told = [parts?.["status"], parts?.["statusCode"], parts?.["code"]];
  return [
    code,
    ...told.flatMap((value) =>
      typeof value === "number" || typeof value === "string" ? [numberIfDigits(value)] : [],
    ),
  ];
}

function numberIfDigits(value: number | string): number | string {
  return typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
}

function isDisconnection(code: number | string): boolean {
  return DISCONNECTIONS.has(code) || (typeof code === "string" && code.startsWith("UND_ERR_"));
}

const DISCONNECTIONS: ReadonlySet<number | string> = new Set<number | string>([
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

/** Milliseconds where the name says so, seconds as in the header of HTTP otherwise. */
function retryAfterOf(data: Loose | null): number | null {
  const ms = looseNumber(data?.["retryAfterMs"]) ?? looseNumber(data?.["retry_after_ms"]);
  const told = data?.["retryAfter"] ?? data?.["retry_after"];
  const seconds = typeof told === "string" && told !== "" ? Number(told) : looseNumber(told);
  const wait = ms ?? (seconds === null ? null : seconds * 1000);
  return wait !== null && Number.isFinite(wait) && wait >= 0 ? Math.round(wait) : null;
}

function detailOf(data: unknown, redact: Redact): string | null {
  if (data === undefined || data === null) return null;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return shown(text, redact, MAX_DETAIL);
}

function shown(text: string, redact: Redact, maxLength: number): string {
  return cleanText(redact(text).slice(0, maxLength));
}

const MAX_MESSAGE = 2000;
const MAX_DETAIL = 16 * 1024;
