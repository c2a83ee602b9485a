import { backoffMs } from "../../domain/backoff.ts";
import { isAbsence } from "../../storage/fault.ts";
import type { Store } from "../../storage/store.ts";
import { sleep } from "../sleep.ts";

const BACKOFF = { firstMs: 10, maxMs: 500 };

/**
 * A store for work that continues through a database outage. A failed call waits until the database is reachable, as long as
 * this node holds its lease, and is then repeated. A repeated write is marked with `wasTried` and is not stored twice. Other
 * faults, and all faults of SQLite, are thrown at once. One call takes at most `patienceMs`; the signal ends all waiting.
 */
export function patientStore(
  store: Store,
  untilBack: (signal: AbortSignal) => Promise<boolean>,
  patienceMs: number,
  signal: AbortSignal,
): Store {
  if (!store.isShared) return store;

  const retry = async <Value>(call: (wasTried: boolean) => Promise<Value>): Promise<Value> => {
    let deadline = Infinity;
    for (let tries = 0; ; tries += 1) {
      try {
        return await call(tries > 0);
      } catch (error) {
        if (!isAbsence(error)) throw error;
        if (tries === 0) deadline = performance.now() + patienceMs;
        if (performance.now() >= deadline || !(await untilBack(signal))) throw error;
      }
      await sleep(backoffMs(tries, { ...BACKOFF, random: Math.random() }), signal);
    }
  };

  return {
    ...store,
    load: (sessionId) => retry(() => store.load(sessionId)),
    commit: (change) =>
      retry((wasTried) => store.commit(wasTried ? { ...change, wasTried } : change)),
    append: (output) =>
      retry((wasTried) => store.append(wasTried ? { ...output, wasTried } : output)),
    readSession: (sessionId) => retry(() => store.readSession(sessionId)),
    readMessages: (query) => retry(() => store.readMessages(query)),
    readNewest: (query) => retry(() => store.readNewest(query)),
    readNewestOfRun: (query) => retry(() => store.readNewestOfRun(query)),
    readMessage: (sessionId, messageId) => retry(() => store.readMessage(sessionId, messageId)),
    readEvents: (query) => retry(() => store.readEvents(query)),
    readQueue: (sessionId) => retry(() => store.readQueue(sessionId)),
    readRun: (runId) => retry(() => store.readRun(runId)),
    findRuns: (runIds) => retry(() => store.findRuns(runIds)),
    rewoundRuns: (sessionId) => retry(() => store.rewoundRuns(sessionId)),
    readRuns: (sessionId, part) => retry(() => store.readRuns(sessionId, part)),
    readSuspension: (suspensionId) => retry(() => store.readSuspension(suspensionId)),
    readSuspensions: (sessionId, part) => retry(() => store.readSuspensions(sessionId, part)),
    readRepo: (repoId) => retry(() => store.readRepo(repoId)),
    lastSeqs: (sessionIds) => retry(() => store.lastSeqs(sessionIds)),
  };
}
