import type { JsonObject } from "../../domain/json.ts";
import { errorText } from "../../domain/error-text.ts";
import { isAbsence, isDiskFull } from "../../storage/fault.ts";
import type { Store } from "../../storage/store.ts";
import type { Log } from "../log.ts";
import { sleep } from "../sleep.ts";

/** Returns why the lease was lost, as far as it is known at the time of the call. */
export type LossReason = () => string;

export interface NodeLeaseOptions {
  readonly store: Store;
  /** Unique to this process. */
  readonly node: string;
  /** A node that does not renew its lease for this long counts as dead. */
  readonly leaseMs: number;
  readonly log: Log;
  /** Other nodes read this about this node. */
  readonly about: () => Promise<JsonObject>;
  /** After each renewal. */
  readonly onRenewed: () => Promise<void>;
  /** The lease is valid for so long. */
  readonly onHeld?: ((ms: number) => void) | undefined;
  /** The lease expired before it was renewed: other nodes may own the sessions now. */
  readonly onLost: (why: LossReason) => void;
  /** The lease was renewed after the database was unreachable. */
  readonly onReturned: () => void;
}

/** The lease is renewed every fifth of its duration, so that several renewals may fail. */
const RENEWALS = 5;
/** The interval of the checks for an expired lease. */
const WATCH_MS = 100;
/** The pause between two tries while the database is unreachable. */
const RETRY_MS = 100;

/** This node's right to own sessions, renewed regularly. On SQLite it cannot be lost. */
export function createNodeLease(options: NodeLeaseOptions) {
  const { store, node, leaseMs, log } = options;
  const { isShared } = store;
  const stopping = new AbortController();
  let renewedAt = -Infinity;
  let triedAt = -Infinity;
  let isLost = false;
  /** The time of the first failed renewal; null while renewals succeed. */
  let awaySince: number | null = null;
  let absence: { readonly ms: number; readonly endedAt: number } | null = null;
  let watchedAt = performance.now();
  let renewing: Promise<void> | null = null;
  let returning: Promise<boolean> | null = null;
  let failure: string | null = null;

  const isHeldNow = (): boolean => !isLost && performance.now() < renewedAt + leaseMs;

  /** A paused process did not run its checks either. */
  const pauseReason = (): LossReason | null => {
    const pausedMs = performance.now() - watchedAt;
    return pausedMs > leaseMs / 2 ? () => `the node was paused for ${seconds(pausedMs)}` : null;
  };

  const unreachable = (): LossReason => {
    const since = awaySince ?? renewedAt;
    return () => {
      const endedAt = absence !== null && absence.endedAt > since ? absence.endedAt : null;
      return `the database was unreachable for ${seconds((endedAt ?? performance.now()) - since)}`;
    };
  };

  const returned = (): void => {
    const ms = awaySince === null ? 0 : performance.now() - awaySince;
    absence = { ms, endedAt: performance.now() };
    awaySince = null;
    log.warn({ node, awayMs: Math.round(ms) }, "the database is back");
    options.onReturned();
  };

  const renew = async (): Promise<void> => {
    const begun = performance.now();
    triedAt = begun;
    try {
      const about = await options.about();
      const startedAt = performance.now();
      const wasHeld = await store.renewLease({ node, ttlMs: leaseMs, about });
      renewedAt = startedAt;
      if (isShared) options.onHeld?.(startedAt + leaseMs - performance.now());
      // On SQLite the lock of the data folder is the ownership: a pause or a jump of the clock takes nothing away.
      if (isShared && !wasHeld && !isLost) {
        log.warn({ node }, "the lease had expired and was taken again");
        options.onLost(pauseReason() ?? (() => "the lease of its node had expired"));
      }
      isLost = false;
      failure = null;
    } catch (error) {
      failure = errorText(error);
      if (isAbsence(error)) awaySince ??= begun;
      throw error;
    }
    if (awaySince !== null) returned();
    await options.onRenewed();
  };

  /** Uses only the local clock: a node that cannot reach the database must stop before another takes over. */
  const watch = (): void => {
    if (isShared && !isLost && !isHeldNow()) {
      isLost = true;
      log.error({ node }, "the lease could not be renewed in time: this node gives up its work");
      options.onLost((awaySince === null ? pauseReason() : null) ?? unreachable());
    }
    watchedAt = performance.now();
  };

  const renewNow = (): Promise<void> => {
    const wasAway = awaySince !== null;
    return (renewing ??= renew()
      .catch((err: unknown) => {
        // Logged once per outage.
        if (stopping.signal.aborted || (wasAway && isAbsence(err))) return;
        log.error({ node, err }, "the lease could not be renewed");
      })
      .finally(() => {
        renewing = null;
      }));
  };

  const waitForReturn = async (): Promise<boolean> => {
    const begun = performance.now();
    while (isHeldNow() && !stopping.signal.aborted) {
      await renewNow();
      if (renewedAt >= begun) return true;
      await sleep(RETRY_MS, stopping.signal);
    }
    // Callers get the loss of the lease, with its reason, before this call returns.
    watch();
    return false;
  };

  const tick = (): void => {
    watch();
    if (awaySince !== null || watchedAt >= triedAt + leaseMs / RENEWALS) void renewNow();
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    /** Whether the node may still act for its sessions, by its monotonic clock since the last renewal. */
    get isHeld(): boolean {
      return !isShared || isHeldNow();
    },
    /** Why nothing can be stored, as of the last renewal; null while it succeeds. */
    get failure(): string | null {
      return failure;
    },
    /** The length of a recent database outage that was long enough for leases to expire; else null. */
    get recentAbsenceMs(): number | null {
      // Another node may have renewed a fifth earlier, and this node may have noticed the outage a fifth later.
      if (absence === null || absence.ms < leaseMs / 2) return null;
      return performance.now() - absence.endedAt < 2 * leaseMs ? absence.ms : null;
    },
    /**
     * Takes the lease and starts renewing it. Throws if the database fails. A full disk does not stop a server that owns its
     * database alone: it can still read.
     */
    async begin(): Promise<void> {
      try {
        await renew();
      } catch (err) {
        if (isShared || !isDiskFull(err)) throw err;
        log.error({ node, err }, "nothing can be stored until the disk has space again");
      }
      timer = setInterval(tick, Math.min(WATCH_MS, leaseMs / 10)).unref();
    },
    renewSoon: () => void renewNow(),
    /**
     * Waits until the database is reachable. True after the lease was renewed. False if the lease expires or the signal is
     * aborted, and on SQLite, where waiting does not help.
     */
    untilBack: async (signal: AbortSignal): Promise<boolean> => {
      if (!isShared || signal.aborted) return false;
      returning ??= waitForReturn().finally(() => {
        returning = null;
      });
      return unlessAborted(returning, signal);
    },
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      await renewing;
    },
  };
}

/** Whole seconds, at least one. */
export function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`;
}

async function unlessAborted(promise: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const aborted = Promise.withResolvers<boolean>();
  const abort = (): void => aborted.resolve(false);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
