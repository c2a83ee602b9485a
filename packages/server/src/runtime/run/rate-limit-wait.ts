import type { Suspension } from "../../domain/suspension.ts";
import type { AgentFault } from "../../providers/provider.ts";
import type { RuntimeContext } from "../context.ts";
import type { RunAtWork } from "./hand-over.ts";

/** The most rate limits that one run waits for. */
const MAX_RATE_LIMIT_WAITS = 5;

/** The suspension until a rate limit ends; null if that is not configured, or the run should not wait that long. */
export async function rateLimitWait(
  context: RuntimeContext,
  atWork: RunAtWork,
  { code, message, retryAfterMs }: AgentFault,
): Promise<Pick<Suspension, "kind" | "request" | "expiresAt"> | null> {
  const { rateLimitMs, retryPauseMs, retries } = context.limits;
  if (code !== "agent_rate_limited" || rateLimitMs === null || retryAfterMs === null) return null;
  const isSoon = retryAfterMs <= retryPauseMs * 2 ** retries;
  if (isSoon || retryAfterMs > rateLimitMs) return null;
  const suspensions = await context.store.readSuspensions(atWork.sessionId);
  const waits = suspensions.filter(
    ({ runId, kind }) => runId === atWork.run.id && kind === "rate_limit",
  );
  if (waits.length >= MAX_RATE_LIMIT_WAITS) return null;
  const until = context.clock() + retryAfterMs;
  const title = `Waiting until ${new Date(until).toISOString()}: ${message}`;
  return { kind: "rate_limit", request: { title }, expiresAt: until };
}
