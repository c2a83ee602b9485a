import type { Store } from "../storage/store.ts";
import type { Log } from "./context.ts";

const LEASE_MS = 6_000;
const RENEW_MS = 2_000;

export interface NodeLease {
  stop(): Promise<void>;
}

/** Says that this process is alive, as long as it is. */
export async function startLease({
  store,
  node,
  log,
}: {
  readonly store: Store;
  readonly node: string;
  readonly log: Log;
}): Promise<NodeLease> {
  await store.renewLease({ node, ttlMs: LEASE_MS });
  // Whoever holds the data folder is the only one on a file; what an earlier process owned is free.
  if (store.engine === "sqlite") await store.dropOtherLeases(node);
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = store.renewLease({ node, ttlMs: LEASE_MS }).then(
      (held) => held || log.warn({ node }, "the lease had run out and was taken again"),
      (err: unknown) => log.error({ node, err }, "the lease could not be renewed"),
    );
  }, RENEW_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await renewing;
      await store.dropLease(node);
    },
  };
}
