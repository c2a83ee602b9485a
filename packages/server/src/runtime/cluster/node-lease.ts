import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../domain/json.ts";
import { isAbsence } from "../../storage/fault.ts";
import type { Store } from "../../storage/store.ts";
import type { Log } from "../log.ts";

/** Tells why the lease was lost, as far as it is known when it is asked. */
export type LossReason = () => string;

export interface NodeLeaseOptions {
  readonly store: Store;
  readonly node: string;
  readonly leaseMs: number;
  readonly log: Log;
  /** What the node tells others of itself. */
  readonly about: () => Promise<JsonObject>;
  /** After each renewal. */
  readonly onRenewed: () => Promise<void>;
  /** The lease ran out before it could be renewed: others may have taken everything over. */
  readonly onLost: (why: LossReason) => void;
  /** The lease is renewed after the database was away. */
  readonly onReturned: () => void;
}

/** This node's right to own sessions, kept by renewing it. On a file there is nobody to lose it to. */
export interface NodeLease {
  /** Whether the node may still act for its sessions, by its own monotonic clock since the last renewal. */
  readonly isHeld: boolean;
  /** How long the database was away, when that has just been long enough for leases to run out; else null. */
  readonly recentAbsenceMs: number | null;
  /** Takes the lease and keeps it from then on. Throws when the database fails. */
  begin(): Promise<void>;
  renewSoon(): void;
  /**
   * Waits for a database that is away: true once the lease was renewed. False when the lease is over, when the signal is
   * aborted, and on a file, where a fault does not pass by waiting.
   */
  untilBack(signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

/** The lease is renewed every fifth of its duration, so that several renewals may fail. */
const RENEWALS = 5;
/** How late the end of the lease may be noticed. */
const WATCH_MS = 100;
/** A database that is away is tried again after this. */
const RETRY_MS = 100;

export function createNodeLease(options: NodeLeaseOptions): NodeLease {
  const { store, node, leaseMs, log } = options;
  const isShared = store.engine === "postgres";
  const stopping = new AbortController();
  let renewedAt = -Infinity;
  let triedAt = -Infinity;
  let isLost = false;
  /** Since the first renewal that failed; null while renewals succeed. */
  let awaySince: number | null = null;
  let absence: { readonly ms: number; readonly endedAt: number } | null = null;
  let watchedAt = performance.now();
  let renewing: Promise<void> | null = null;
  let returning: Promise<boolean> | null = null;

  const isHeldNow = (): boolean => !isLost && performance.now() < renewedAt + leaseMs;

  /** A process that stood still did not look at its clock, either. */
  const stoodStill = (): LossReason | null => {
    const stoodMs = performance.now() - watchedAt;
    return stoodMs > leaseMs / 2 ? () => `the node stood still for ${seconds(stoodMs)}` : null;
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
      const asked = performance.now();
      const wasHeld = await store.renewLease({ node, ttlMs: leaseMs, about });
      renewedAt = asked;
      if (!wasHeld && !isLost) {
        log.warn({ node }, "the lease had run out and was taken again");
        options.onLost(stoodStill() ?? (() => "the lease of its node had run out"));
      }
      isLost = false;
    } catch (error) {
      if (isAbsence(error)) awaySince ??= begun;
      throw error;
    }
    if (awaySince !== null) returned();
    await options.onRenewed();
  };

  /** Alone on its clock: a node that cannot reach the database must stop before others begin. */
  const watch = (): void => {
    if (isShared && !isLost && !isHeldNow()) {
      isLost = true;
      log.error({ node }, "the lease could not be renewed in time: all work here is given up");
      options.onLost((awaySince === null ? stoodStill() : null) ?? unreachable());
    }
    watchedAt = performance.now();
  };

  const renewNow = (): Promise<void> => {
    const wasAway = awaySince !== null;
    return (renewing ??= renew()
      .catch((err: unknown) => {
        // Once for each absence, however often it is tried.
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
      await pause(RETRY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
    // Whoever waited learns it first as a loss of the lease, with its reason.
    watch();
    return false;
  };

  const tick = (): void => {
    watch();
    if (awaySince !== null || watchedAt >= triedAt + leaseMs / RENEWALS) void renewNow();
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    get isHeld() {
      return !isShared || isHeldNow();
    },
    get recentAbsenceMs() {
      // Another node's lease may have been renewed a fifth earlier, and the absence noticed here a fifth later.
      if (absence === null || absence.ms < leaseMs / 2) return null;
      return performance.now() - absence.endedAt < 2 * leaseMs ? absence.ms : null;
    },
    async begin() {
      await renew();
      timer = setInterval(tick, Math.min(WATCH_MS, leaseMs / 10)).unref();
    },
    renewSoon: () => void renewNow(),
    untilBack: async (signal) => {
      if (!isShared || signal.aborted) return false;
      returning ??= waitForReturn().finally(() => {
        returning = null;
      });
      return unlessAborted(returning, signal);
    },
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await renewing;
    },
  };
}

/** In whole seconds, and at least one. */
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
