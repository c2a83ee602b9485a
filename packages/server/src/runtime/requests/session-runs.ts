import type { Store } from "../../storage/store.ts";
import { noSuchSession, type Reply } from "../reply.ts";
import type { PastRun, ReadRuns, RunPage } from "../runtime.ts";
import { snapshotOf } from "../session-snapshot.ts";

/** What a run waited for first; one that asked more often than this says it in its messages, too. */
const SUSPENSIONS_SHOWN = 100;

export async function readRuns(
  store: Store,
  { sessionId, after, limit }: ReadRuns,
): Promise<Reply<RunPage>> {
  if ((await snapshotOf(store, sessionId)) === null) return noSuchSession();
  const part = { limit: limit + 1, ...(after !== undefined && { after }) };
  const found = await store.readRuns(sessionId, part);
  const page = found.slice(0, limit);
  const suspensions = Map.groupBy(
    await store.readRunSuspensions({
      sessionId,
      runIds: page.map(({ id }) => id),
      perRun: SUSPENSIONS_SHOWN,
    }),
    ({ runId }) => runId,
  );
  const runs = page.map((run): PastRun => ({ ...run, suspensions: suspensions.get(run.id) ?? [] }));
  const last = page.at(-1);
  const next =
    found.length > limit && last !== undefined ? { at: last.queuedAt, id: last.id } : null;
  return { ok: true, runs, next };
}
