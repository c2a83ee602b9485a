import type { SessionCounts, Store } from "../storage/store.ts";

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
export async function readiness(store: Store): Promise<Readiness> {
  try {
    const { schema, counts, setAside } = await store.health();
    return {
      ready: true,
      reason: null,
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
