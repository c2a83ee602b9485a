import { setTimeout as pause } from "node:timers/promises";
import { isAbsence } from "../../storage/fault.ts";
import type { Store } from "../../storage/store.ts";
import type { Cluster } from "./cluster.ts";

export interface Patience {
  readonly cluster: Pick<Cluster, "untilBack">;
  /** How long one call may be tried, also where the lease goes on. */
  readonly patienceMs: number;
  /** Aborted, nothing is waited for any more. */
  readonly signal: AbortSignal;
}

/** The first pause between two tries; each further one is twice as long. */
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;

/**
 * The same store for work that goes on while the database is away: a call waits until it is back, as long as this node may own
 * sessions, and is then made again. A write that may have been stored says so, and is not stored twice. Other faults, and all
 * faults of a file, are thrown at once.
 */
export function patientStore(store: Store, patience: Patience): Store {
  const { cluster, patienceMs, signal } = patience;
  if (store.engine !== "postgres") return store;

  const outlast = async <Value>(call: (wasTried: boolean) => Promise<Value>): Promise<Value> => {
    let deadline = Infinity;
    for (let tries = 0; ; tries += 1) {
      try {
        return await call(tries > 0);
      } catch (error) {
        if (!isAbsence(error)) throw error;
        if (tries === 0) deadline = performance.now() + patienceMs;
        if (performance.now() >= deadline || !(await cluster.untilBack(signal))) throw error;
      }
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  };

  return {
    ...store,
    load: (sessionId) => outlast(() => store.load(sessionId)),
    commit: (change) =>
      outlast((wasTried) => store.commit(wasTried ? { ...change, wasTried } : change)),
    append: (output) =>
      outlast((wasTried) => store.append(wasTried ? { ...output, wasTried } : output)),
    readSession: (sessionId) => outlast(() => store.readSession(sessionId)),
    readMessages: (query) => outlast(() => store.readMessages(query)),
    readMessage: (sessionId, messageId) => outlast(() => store.readMessage(sessionId, messageId)),
    readEvents: (query) => outlast(() => store.readEvents(query)),
    readQueue: (sessionId) => outlast(() => store.readQueue(sessionId)),
    readRun: (runId) => outlast(() => store.readRun(runId)),
    readRuns: (sessionId, part) => outlast(() => store.readRuns(sessionId, part)),
    readSuspension: (suspensionId) => outlast(() => store.readSuspension(suspensionId)),
    readSuspensions: (sessionId, part) => outlast(() => store.readSuspensions(sessionId, part)),
    readRepo: (repoId) => outlast(() => store.readRepo(repoId)),
    lastSeqs: (sessionIds) => outlast(() => store.lastSeqs(sessionIds)),
  };
}
