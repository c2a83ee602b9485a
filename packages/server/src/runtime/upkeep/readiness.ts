import { setTimeout as pause } from "node:timers/promises";
import type { SessionCounts, Store } from "../../storage/store.ts";

export interface Readiness {
  readonly ready: boolean;
  /** Why not, in a sentence. */
  readonly reason: string | null;
  readonly database: { readonly engine: Store["engine"]; readonly schema: string | null };
  readonly sessions: SessionCounts | null;
  /** Rows that could not be read and were left out. */
  readonly setAside: number | null;
}

/** Asks the database rather than remembering: ready means a request would be served now. */
export async function readiness(
  store: Store,
  { isDraining = false }: { readonly isDraining?: boolean } = {},
): Promise<Readiness> {
  try {
    const { schema, counts, setAside } = await inTime(store.health());
    return {
      ready: !isDraining,
      reason: isDraining ? "This node takes no new work: it is draining." : null,
      database: { engine: store.engine, schema },
      sessions: counts,
      setAside,
    };
  } catch (error) {
    return {
      ready: false,
      reason: error instanceof Error ? error.message : String(error),
      database: { engine: store.engine, schema: null },
      sessions: null,
      setAside: null,
    };
  }
}

/** Whoever asks wants to know now: a database that does not answer is one that is away. */
async function inTime<Value>(answer: Promise<Value>): Promise<Value> {
  answer.catch(() => {});
  const late = pause(WAIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The database has not answered for ${WAIT_MS / 1000} seconds.`);
  });
  return Promise.race([answer, late]);
}

const WAIT_MS = 3_000;
