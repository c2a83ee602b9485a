import { currentRunOf } from "../../domain/session.ts";
import type { StoredSession } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { SessionAgent } from "./session-agent.ts";
import type { SessionOwnership } from "./session-ownership.ts";
import type { Surroundings } from "./worker-state.ts";

/** The facts besides the stored session that decide on the next step of its worker. */
export function surroundings(
  stored: StoredSession | null,
  {
    context: { cluster, slots, found },
    ownership,
    agent,
    isWanted,
  }: {
    readonly context: RuntimeContext;
    readonly ownership: SessionOwnership;
    readonly agent: SessionAgent;
    /** This node was asked to take the session up. */
    readonly isWanted: boolean;
  },
): Surroundings {
  const { sessionId } = ownership;
  const { holdsLease } = cluster;
  if (holdsLease) ownership.recognise(stored);
  const run = stored === null ? null : currentRunOf(stored.session);
  return {
    holdsLease,
    owner: ownership.ownerOf(stored),
    mayBegin: stored !== null && ownership.mayBegin(stored.session, { isWanted }),
    isAgentReady: run !== null && agent.isReadyFor(run.provider),
    hasFound: found.of(sessionId) !== null,
    mustYield: slots.mustYield(sessionId),
  };
}
