import { isDeepStrictEqual } from "node:util";
import type { Cluster } from "./cluster.ts";
import { eventually } from "./cluster.ts";
import type { ClusterNode } from "./cluster-node.ts";
import type { Evidence } from "./history.ts";
import { readStored, runsLeftFrom } from "./read-stored.ts";
import type { Watcher } from "./watcher.ts";

export interface Settled {
  readonly evidence: Evidence;
  /** Time from the end of the faults until all earlier runs had ended. */
  readonly settledMs: number;
}

const DRAINED_WITHIN_MS = 90_000;
const CAUGHT_UP_WITHIN_MS = 30_000;

/**
 * Waits until all sessions have settled, which must be soon, and until the watchers have caught up. Then collects
 * everything that the invariants check.
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
  const faultsEndedAt = Math.max(0, ...history.faults.map(({ to }) => (to === Infinity ? 0 : to)));
  const withinMs = Math.max(10_000, 2 * history.leaseMs) - (Date.now() - faultsEndedAt);
  const before = Date.now();
  await eventually(
    async () => (await runsLeftFrom(databaseUrl, { sessions, before: faultsEndedAt })).length === 0,
    {
      withinMs: Math.max(withinMs, 1_000),
      what: "runs from before the end of the faults have ended",
    },
  );
  const settledMs = Date.now() - Math.min(faultsEndedAt, before);
  for (const { id } of sessions) {
    await eventually(
      async () => {
        const { state, queued } = await by.client.sessions.get(id);
        return state !== "running" && (state === "suspended" || queued === 0);
      },
      { withinMs: DRAINED_WITHIN_MS, what: `session ${id} has no work left` },
    );
  }
  let stored = await readStored(databaseUrl, { sessions, by });
  const areCaughtUp = (): boolean => {
    const finals = new Map(stored.sessions.map(({ id, final }) => [id, final]));
    return watchers.every(({ view }) =>
      isDeepStrictEqual(view.session, finals.get(view.sessionId)),
    );
  };
  // Idle sessions may still change, so they are read again. The invariants find watchers that never catch up.
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
