import { AgentFault } from "../provider.ts";
import { createRedact } from "../redact.ts";
import type { ModelDefinition } from "./definition.ts";

const MAX_DETAIL = 2_000;
/** Longer pauses are not believed. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** What a failed request means, by its status; without one, by whether the service was reached at all. */
export function modelFault(
  error: unknown,
  {
    definition: { title, apiKeyEnv },
    apiKey,
    now,
  }: {
    readonly definition: ModelDefinition;
    readonly apiKey: string | null;
    readonly now: number;
  },
): AgentFault {
  if (error instanceof AgentFault) return error;
  const { status, headers, body, isLost } = read(error);
  const redact = createRedact(apiKey === null ? [] : [apiKey]);
  const detail = body === null ? null : redact(body).slice(0, MAX_DETAIL);
  if (status === null) {
    return isLost
      ? new AgentFault("agent_disconnected", `${title} could not be reached`, { isPassing: true })
      : new AgentFault("agent_failed", `${title} answered what cannot be understood`, { detail });
  }
  const said = `${title} answered with HTTP ${status}`;
  if (status === 401 || status === 403) {
    const hint = apiKeyEnv === null ? 'name its key with "apiKeyEnv"' : `check ${apiKeyEnv}`;
    return new AgentFault("agent_needs_login", `${said}: ${hint}`, { detail });
  }
  if (status === 429) {
    return new AgentFault("agent_rate_limited", `${said}: too many requests`, {
      detail,
      isPassing: true,
      retryAfterMs: retryAfterOf(headers, now),
    });
  }
  if (status >= 500 || status === 408) {
    return new AgentFault("agent_disconnected", said, { detail, isPassing: true });
  }
  return new AgentFault("agent_failed", said, { detail });
}

interface Failure {
  /** Null when the service did not refuse. */
  readonly status: number | null;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | null;
  /** The connection failed, or ended too early. */
  readonly isLost: boolean;
}

/** Read by its shape: the package that threw it is loaded only where it is used. */
function read(error: unknown): Failure {
  const { statusCode, responseHeaders, responseBody, isRetryable } = fieldsOf(error);
  return {
    // A stream that breaks off had begun with a good one.
    status: typeof statusCode === "number" && statusCode >= 400 ? statusCode : null,
    headers: new Map(
      Object.entries(fieldsOf(responseHeaders)).flatMap(([name, value]) =>
        typeof value === "string" ? [[name.toLowerCase(), value]] : [],
      ),
    ),
    body: typeof responseBody === "string" ? responseBody : null,
    isLost: isRetryable === true || isConnectionError(error),
  };
}

/** Somewhere below it is an error of the system's, such as `ECONNRESET`, or of the HTTP client's. */
function isConnectionError(error: unknown, depth = 0): boolean {
  const { code } = fieldsOf(error);
  if (typeof code === "string" && /^(UND_ERR_|E(?!RR_)[A-Z_]+$)/u.test(code)) return true;
  return error instanceof Error && depth < 5 && isConnectionError(error.cause, depth + 1);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function retryAfterOf(headers: ReadonlyMap<string, string>, now: number): number | null {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms)) return bounded(ms);
  const after = headers.get("retry-after");
  if (after === undefined) return null;
  const seconds = Number(after);
  if (Number.isFinite(seconds)) return bounded(seconds * 1_000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : bounded(date - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS);
}
