import { chooseAgent } from "../../domain/choose-agent.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import type { RuntimeContext } from "../context.ts";
import type { SessionAgent } from "./session-agent.ts";
import type { SessionOwnership } from "./session-ownership.ts";

/** More are not started ahead: an agent uses much memory, and nobody may need it. */
const AT_MOST = 3;

/** A session whose run was cut off, because the last server ended. */
export interface CutSession {
  readonly sessionId: string;
  readonly runId: string;
  readonly lastActiveAt: number;
}

/** The sessions whose agents are started ahead: the most recent ones, if their agents would still be alive otherwise. */
export function worthWarmingUp(
  cut: readonly CutSession[],
  { clock, limits }: Pick<RuntimeContext, "clock" | "limits">,
): readonly CutSession[] {
  return cut
    .filter(({ lastActiveAt }) => clock() - lastActiveAt < limits.idleMs)
    .toSorted((a, b) => b.lastActiveAt - a.lastActiveAt)
    .slice(0, Math.min(AT_MOST, limits.liveAgents));
}

/**
 * Starts the agent of a session that has nothing to do, because its next message will probably come soon. It takes no slot
 * of another agent, and gives its own to everybody who needs one.
 */
export async function warmUp(
  context: RuntimeContext,
  { runId, ownership, agent }: WarmUp,
): Promise<void> {
  const { slots, store, cluster } = context;
  const { sessionId } = ownership;
  if (agent.live !== null || cluster.isDraining || slots.taken >= slots.limit) return;
  const fence = await ownership.claim();
  if (fence === null || fence === "full") return;
  // Read after the claim: before it, the former owner may have changed the session.
  const loaded = await store.load(sessionId);
  if (loaded.found !== "session") return;
  const { session } = loaded.stored;
  if (session.standing.status !== "active" || dutyOf(session).do !== "rest") return;
  if (slots.taken >= slots.limit) return;
  void slots.take(sessionId);
  slots.use(sessionId, "idle");
  const choice = chooseAgent(NO_WISH, { session, defaultProvider: context.defaultProvider() });
  const run = { id: runId, ...choice, continuity: "auto" } as const;
  await agent.warmUp({ session, run, fence });
}

/** A message that chooses no agent. */
const NO_WISH = { provider: null, model: null };

interface WarmUp {
  /** The last run of the session. */
  readonly runId: string;
  readonly ownership: SessionOwnership;
  readonly agent: SessionAgent;
}
