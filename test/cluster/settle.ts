import { isDeepStrictEqual } from "node:util";
import type { Cluster } from "./cluster.ts";
import { eventually } from "./cluster.ts";
import type { ClusterNode } from "./cluster-node.ts";
import type { Evidence } from "./history.ts";
import { readStored, runsLeftFrom } from "./read-stored.ts";
import type { Watcher } from "./watcher.ts";

export interface Settled {
  readonly evidence: Evidence;
  /** From the end of the faults until no run was left of the time before. */
  readonly settledMs: number;
}

const DRAINED_WITHIN_MS = 90_000;
const CAUGHT_UP_WITHIN_MS = 30_000;

/**
 * Waits until everything is at rest, which must be soon, and until the watchers have seen it; collects
 * all there is to judge by.
 */
export async function settle(
  cluster: Cluster,
  {
    sessions,
    watchers,
    by,
  }: {
    readonly sessions: readonly { readonly id: string; readonly repo: string }[];
    readonly watchers: readonly Watcher[];
    readonly by: ClusterNode;
  },
): Promise<Settled> {
  const { databaseUrl, history } = cluster;
  const since = Math.max(0, ...history.faults.map(({ to }) => (to === Infinity ? 0 : to)));
  const withinMs = Math.max(10_000, 2 * history.leaseMs) - (Date.now() - since);
  const before = Date.now();
  await eventually(
    async () => (await runsLeftFrom(databaseUrl, { sessions, before: since })).length === 0,
    { withinMs: Math.max(withinMs, 1_000), what: "runs of the time of faults are over" },
  );
  const settledMs = Date.now() - Math.min(since, before);
  for (const { id } of sessions) {
    await eventually(
      async () => {
        const { state, queued } = await by.client.sessions.get(id);
        return state !== "running" && (state === "suspended" || queued === 0);
      },
      { withinMs: DRAINED_WITHIN_MS, what: `session ${id} has nothing to do` },
    );
  }
  let stored = await readStored(databaseUrl, { sessions, by });
  const areCaughtUp = (): boolean => {
    const finals = new Map(stored.sessions.map(({ id, final }) => [id, final]));
    return watchers.every(({ view }) =>
      isDeepStrictEqual(view.session, finals.get(view.sessionId)),
    );
  };
  // Sessions that only rest may still be put to rest meanwhile. Whoever does not get there is found by the invariants.
  await eventually(
    async () => {
      if (!areCaughtUp()) stored = await readStored(databaseUrl, { sessions, by });
      return areCaughtUp();
    },
    { withinMs: CAUGHT_UP_WITHIN_MS, what: "watchers have caught up" },
  ).catch(() => {});
  for (const watcher of watchers) await watcher.stop();
  return { evidence: { history, stored, account: cluster.account() }, settledMs };
}
