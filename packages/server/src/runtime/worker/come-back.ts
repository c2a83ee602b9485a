import { setImmediate } from "node:timers/promises";
import type { RuntimeContext } from "../context.ts";
import { eachSession } from "./each-session.ts";
import { type SessionSnapshot, unlessUnreadable } from "../session-snapshot.ts";

/** Sessions that are changed together, in one transaction. */
const AT_ONCE = 64;

type Context = Pick<RuntimeContext, "store" | "execute" | "clock" | "log" | "obstacleOf">;

/**
 * Runs at the start of the server. Sessions that the last stop suspended become active again. Sessions that cannot
 * continue are suspended, with the reason. Starts no agent.
 */
export async function comeBack(
  context: Context,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const { store, log } = context;
  const obstacleOf = remembering(context.obstacleOf);
  const counts = { resumed: 0, stuck: 0 };
  const settle = async (sessions: readonly SessionSnapshot[]): Promise<void> => {
    const left = [...sessions];
    while (left.length > 0 && !signal.aborted) {
      const statuses = await Promise.all(
        left.splice(0, AT_ONCE).map((session) => settleOne(context, session, obstacleOf)),
      );
      counts.resumed += statuses.filter((status) => status === "active").length;
      counts.stuck += statuses.filter((status) => status === "suspended").length;
      await setImmediate();
    }
  };
  for await (const page of eachSession(store, { statuses: ["suspended"], signal }))
    await settle(page);
  // A crash leaves sessions active. Only those whose repository is gone need a change.
  for (const { id: repoId } of await store.listRepos()) {
    if (signal.aborted || (await obstacleOf(repoId)) === null) continue;
    for await (const page of eachSession(store, { statuses: ["active"], repoId, signal }))
      await settle(page);
  }
  if (counts.resumed + counts.stuck > 0)
    log.info(counts, "sessions are active again; those that cannot continue are suspended");
}

/** The session's new status; null when it did not change. */
async function settleOne(
  { execute, clock, log }: Context,
  { id: sessionId, repoId }: SessionSnapshot,
  obstacleOf: RuntimeContext["obstacleOf"],
): Promise<"active" | "suspended" | null> {
  const obstacle = await obstacleOf(repoId);
  const executed = await unlessUnreadable({ sessionId, log }, () =>
    execute({
      sessionId,
      command: (session) => (session === null ? [] : { type: "come-back", at: clock(), obstacle }),
    }),
  );
  if (executed?.ok !== true || executed.events.length === 0) return null;
  return obstacle === null ? "active" : "suspended";
}

/** Checks each repository once. */
function remembering(obstacleOf: RuntimeContext["obstacleOf"]): RuntimeContext["obstacleOf"] {
  const known = new Map<string | null, Promise<string | null>>();
  return (repoId) => {
    const answer = known.get(repoId) ?? obstacleOf(repoId);
    known.set(repoId, answer);
    return answer;
  };
}
