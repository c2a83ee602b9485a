import { AgentFault } from "../provider.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ModelDefinition } from "./definition.ts";

const MAX_DETAIL = 2_000;
/** Longer values of `retry-after` are cut. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Classifies a failed request by its HTTP status; without one, by whether the service was reached. */
export function modelFault(
  error: unknown,
  { title, apiKeyEnv }: ModelDefinition,
  redactor: Redactor,
): AgentFault {
  if (error instanceof AgentFault) return error;
  // Fields instead of classes: the package that throws is imported only where it is used.
  const { statusCode, responseHeaders, responseBody, isRetryable } = fieldsOf(error);
  const detail =
    typeof responseBody === "string" ? redactor.text(responseBody).slice(0, MAX_DETAIL) : null;
  // A stream that breaks off has a status below 400.
  if (typeof statusCode !== "number" || statusCode < 400) {
    return isRetryable === true || isConnectionError(error)
      ? new AgentFault("agent_disconnected", `${title} could not be reached`, { isPassing: true })
      : new AgentFault("agent_failed", `${title} sent an invalid answer`, { detail });
  }
  const message = `${title} answered with HTTP ${statusCode}`;
  if (statusCode === 401 || statusCode === 403) {
    const hint = apiKeyEnv === null ? 'name its key with "apiKeyEnv"' : `check ${apiKeyEnv}`;
    return new AgentFault("agent_needs_login", `${message}: ${hint}`, { detail });
  }
  if (statusCode === 429) {
    return new AgentFault("agent_rate_limited", `${message}: too many requests`, {
      detail,
      isPassing: true,
      retryAfterMs: retryAfterOf(fieldsOf(responseHeaders)),
    });
  }
  if (statusCode >= 500 || statusCode === 408) {
    return new AgentFault("agent_disconnected", message, { detail, isPassing: true });
  }
  return new AgentFault("agent_failed", message, { detail });
}

/** Whether its cause is an error of the system, such as `ECONNRESET`, or of the HTTP client. */
function isConnectionError(error: unknown, depth = 0): boolean {
  const { code } = fieldsOf(error);
  if (typeof code === "string" && /^(UND_ERR_|E(?!RR_)[A-Z_]+$)/u.test(code)) return true;
  return error instanceof Error && depth < 5 && isConnectionError(error.cause, depth + 1);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function retryAfterOf(responseHeaders: Readonly<Record<string, unknown>>): number | null {
  const headers = new Map(
    Object.entries(responseHeaders).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const ms = numberOf(headers.get("retry-after-ms"));
  if (ms !== null) return limited(ms);
  const after = headers.get("retry-after");
  if (typeof after !== "string") return null;
  const seconds = numberOf(after);
  if (seconds !== null) return limited(seconds * 1_000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : limited(date - Date.now());
}

function numberOf(value: unknown): number | null {
  return typeof value === "string" && Number.isFinite(Number(value)) ? Number(value) : null;
}

function limited(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS);
}
