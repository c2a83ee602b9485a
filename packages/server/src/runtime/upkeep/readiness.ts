import { errorText } from "../../domain/error-text.ts";
import type { SessionCounts, Store } from "../../storage/store.ts";
import { sleep } from "../sleep.ts";

export interface Readiness {
  readonly ready: boolean;
  /** A sentence that says why it is not ready. */
  readonly reason: string | null;
  readonly database: { readonly engine: Store["engine"]; readonly schema: string | null };
  readonly sessions: SessionCounts | null;
  /** Number of quarantined rows. */
  readonly setAside: number | null;
  /** Damaged places of the database file, as of the last check. */
  readonly damage: readonly string[];
}

/** Queries the database, because ready means that a request would succeed now. */
export async function readiness(
  store: Store,
  {
    isDraining = false,
    failure = null,
  }: { readonly isDraining?: boolean; readonly failure?: string | null } = {},
  damage: readonly string[] = [],
): Promise<Readiness> {
  try {
    const { schema, counts, setAside } = await withTimeout(store.health());
    return {
      ready: !isDraining && failure === null,
      reason: isDraining ? "This node is draining and takes no new work." : reasonOf(failure),
      database: { engine: store.engine, schema },
      sessions: counts,
      setAside,
      damage,
    };
  } catch (error) {
    return {
      ready: false,
      reason: errorText(error),
      database: { engine: store.engine, schema: null },
      sessions: null,
      setAside: null,
      damage,
    };
  }
}

/** Reads succeed, or this would not be called. */
function reasonOf(failure: string | null): string | null {
  return failure === null ? null : `Nothing can be stored, only read. ${failure}`;
}

/** A database that does not answer within `WAIT_MS` counts as unreachable. */
async function withTimeout<Value>(answer: Promise<Value>): Promise<Value> {
  answer.catch(() => {});
  const late = sleep(WAIT_MS).then(() => {
    throw new Error(`The database has not answered for ${WAIT_MS / 1000} seconds.`);
  });
  return Promise.race([answer, late]);
}

const WAIT_MS = 3_000;
