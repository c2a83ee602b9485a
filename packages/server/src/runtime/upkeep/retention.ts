import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { retentionOf, type RetentionPolicy } from "../../domain/retention.ts";
import type { Session } from "../../domain/session.ts";
import type { Status } from "../../domain/status.ts";
import type { ListPosition, Store, StoredSession } from "../../storage/store.ts";
import { bundleFolder } from "../bundle/bundle-folder.ts";
import type { RuntimeContext } from "../context.ts";
import { removeSessions, type Removing } from "./removal.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Answers are kept for repeated requests this long. */
const ANSWERS_KEPT_MS = 7 * DAY_MS;
/** Sessions looked at in one go; between two goes everything else has its turn. */
const BATCH = 100;

export interface RetentionOptions extends Omit<Removing, "bundles"> {
  readonly policy: RetentionPolicy;
  /** Why sessions of a repository cannot go on; null when they can. */
  readonly obstacleOf: RuntimeContext["obstacleOf"];
  /** Where the bundles of removed sessions go. */
  readonly bundleFolder: string;
  readonly bundleMs: number;
  /** The server has better things to do at first. */
  readonly firstAfterMs?: number;
  /** How often it is looked whether a day has passed. */
  readonly lookEveryMs?: number;
  /** Time that only goes on, whatever is done to the clock. */
  readonly monotonic?: () => number;
  /** Asked before each round: one of several nodes is enough. */
  readonly isOurs?: () => boolean;
}

export interface Retention {
  /** Resolves when it does nothing any more; what it is at is finished first. */
  stop(): Promise<void>;
}

/** Once a day: what is due goes, bundle first; old bundles and old answers go too. */
export function startRetention(options: RetentionOptions): Retention {
  const stopping = new AbortController();
  const { signal } = stopping;
  const removing: Removing = { ...options, bundles: bundleFolder(options.bundleFolder) };
  const daily = keepOn(options, { removing, signal });
  return {
    stop: async () => {
      stopping.abort();
      await daily;
    },
  };
}

async function keepOn(
  options: RetentionOptions,
  { removing, signal }: { removing: Removing; signal: AbortSignal },
): Promise<void> {
  const { clock, log, firstAfterMs = HOUR_MS / 60, lookEveryMs = HOUR_MS } = options;
  const { monotonic = () => performance.now() } = options;
  await waitFor(firstAfterMs, signal);
  while (!signal.aborted) {
    if (options.isOurs?.() !== false)
      await runOnce(options, { removing, signal }).catch((err: unknown) =>
        log.error({ err }, "retention failed; it is tried again tomorrow"),
      );
    const last = { clock: clock(), monotonic: monotonic() };
    // A machine that sleeps stops the one, and whoever sets the clock back stops the other.
    const isNextDay = (): boolean =>
      clock() - last.clock >= DAY_MS || monotonic() - last.monotonic >= DAY_MS;
    do await waitFor(lookEveryMs, signal);
    while (!signal.aborted && !isNextDay());
  }
}

async function runOnce(
  { store, policy, clock, bundleMs, log, obstacleOf }: RetentionOptions,
  { removing, signal }: { removing: Removing; signal: AbortSignal },
): Promise<void> {
  const now = clock();
  const { migratedAt } = store;
  const verdict = (session: Session) => retentionOf(session, { now, policy, migratedAt });
  for (const candidates of candidatesOf(policy, now)) {
    for await (const batch of inactive(store, candidates)) {
      if (signal.aborted) return;
      const sessionIds: string[] = [];
      for (const { session } of batch) {
        if (verdict(session) !== "remove") continue;
        if (await canGoOn(session, obstacleOf)) await resume(removing, session.id);
        else sessionIds.push(session.id);
      }
      await removeSessions(removing, {
        sessionIds,
        isDue: (session) => verdict(session) === "remove",
        signal,
      });
      for (const { session, version } of batch) {
        if (verdict(session) === "archive") await archive(removing, { session, version, verdict });
      }
    }
  }
  await store.forgetAnswers({ olderThan: now - ANSWERS_KEPT_MS });
  for (const bundle of await removing.bundles.removeOld({ now, keptMs: bundleMs }))
    log.info({ bundle }, "a bundle was removed; its time was up");
}

/** At least all that the policy can mean; failed sessions are few, and count from their failure. */
function candidatesOf(policy: RetentionPolicy, now: number): readonly Candidates[] {
  const { suspendedMs, resumableMs, autoArchiveMs } = policy;
  return [
    { statuses: ["error"], before: Number.MAX_SAFE_INTEGER },
    { statuses: ["suspended"], before: now - Math.min(suspendedMs, resumableMs) + 1 },
    ...(autoArchiveMs === null
      ? []
      : [{ statuses: ["active"], before: now - autoArchiveMs + 1 } as const]),
  ];
}

interface Candidates {
  readonly statuses: readonly Status[];
  readonly before: number;
}

async function archive(
  { clock, execute, log }: Removing,
  {
    session,
    version,
    verdict,
  }: Pick<StoredSession, "session" | "version"> & {
    readonly verdict: (session: Session) => string;
  },
): Promise<void> {
  const sessionId = session.id;
  const executed = await execute({
    sessionId,
    version,
    command: (current) =>
      current !== null && verdict(current) === "archive" ? { type: "archive", at: clock() } : [],
  });
  if (executed.ok && executed.events.length > 0)
    log.info({ sessionId }, "a session was archived; nothing happened in it for so long");
}

/** Whole sessions, batch by batch, first made first. What cannot be read is not touched. */
async function* inactive(
  store: Store,
  candidates: Candidates,
): AsyncGenerator<readonly StoredSession[]> {
  let after: ListPosition | undefined;
  let firstBefore: string | undefined;
  for (;;) {
    const ids = await store.inactiveSessions({
      ...candidates,
      limit: BATCH,
      ...(after !== undefined && { after }),
    });
    const batch: StoredSession[] = [];
    for (const id of ids) {
      const loaded = await store.load(id);
      if (loaded.found === "session") batch.push(loaded.stored);
    }
    const last = batch.at(-1);
    const [first] = ids;
    // Sessions that cannot be read were set aside by this look, and are not found by the next.
    if (last === undefined && (first === undefined || first === firstBefore)) return;
    firstBefore = first;
    if (last !== undefined) {
      after = { createdAt: last.session.createdAt, id: last.session.id };
      yield batch;
    }
    await setImmediate();
  }
}

/** Looked at once more: the repository of a suspended session may have come back. */
async function canGoOn(
  { standing, repoId }: Session,
  obstacleOf: RetentionOptions["obstacleOf"],
): Promise<boolean> {
  return standing.status === "suspended" && (await obstacleOf(repoId)) === null;
}

async function resume({ clock, execute, log }: Removing, sessionId: string): Promise<void> {
  const executed = await execute({
    sessionId,
    command: (session) =>
      session === null ? [] : { type: "come-back", at: clock(), obstacle: null },
  });
  if (executed.ok && executed.events.length > 0)
    log.info({ sessionId }, "a session is active again, because its repository is back");
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return pause(ms, undefined, { signal, ref: false }).catch(() => {});
}
