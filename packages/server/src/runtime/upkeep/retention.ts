import { setImmediate } from "node:timers/promises";
import { defined } from "../../domain/defined.ts";
import { retentionOf, type RetentionPolicy } from "../../domain/retention.ts";
import type { Session } from "../../domain/session.ts";
import type { Status } from "../../domain/status.ts";
import type { ListPosition, Store, StoredSession } from "../../storage/store.ts";
import { bundleFolder } from "../bundle/bundle-folder.ts";
import type { RuntimeContext } from "../context.ts";
import type { Execution } from "../execute-command.ts";
import { sleep } from "../sleep.ts";
import { removeSessions, type Removing } from "./removal.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Responses are kept this long for repeated requests. */
const ANSWERS_KEPT_MS = 7 * DAY_MS;
/** Sessions per read; the event loop runs between two reads. */
const BATCH = 100;

export interface RetentionOptions extends Omit<Removing, "bundles"> {
  readonly policy: RetentionPolicy;
  /** Why sessions of a repository cannot continue; null if they can. */
  readonly obstacleOf: RuntimeContext["obstacleOf"];
  /** The folder for the bundles of removed sessions. */
  readonly bundleFolder: string;
  readonly bundleMs: number;
  /** Delay of the first round, because the server is busy at its start. */
  readonly firstAfterMs?: number;
  /** Interval of the check whether a day has passed. */
  readonly lookEveryMs?: number;
  /** A clock that cannot be set. */
  readonly monotonic?: () => number;
  /** Called before each round: only one of several nodes does it. */
  readonly isOurs?: () => boolean;
}

export type Retention = ReturnType<typeof startRetention>;

/** Removes due sessions, old bundles and old responses once a day. A session is exported before its removal. */
export function startRetention(options: RetentionOptions) {
  const stopping = new AbortController();
  const daily = runDaily(options, stopping.signal);
  return {
    /** Resolves after the current step is finished. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await daily;
    },
  };
}

async function runDaily(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, firstAfterMs = HOUR_MS / 60, lookEveryMs = HOUR_MS } = options;
  const { monotonic = () => performance.now() } = options;
  await sleep(firstAfterMs, signal);
  while (!signal.aborted) {
    if (options.isOurs?.() !== false)
      await runOnce(options, signal).catch((err: unknown) =>
        log.error({ err }, "retention failed; the next try is tomorrow"),
      );
    const last = { clock: clock(), monotonic: monotonic() };
    // The monotonic clock stops while a machine sleeps; the wall clock can be set back.
    const isNextDay = (): boolean =>
      clock() - last.clock >= DAY_MS || monotonic() - last.monotonic >= DAY_MS;
    do await sleep(lookEveryMs, signal);
    while (!signal.aborted && !isNextDay());
  }
}

async function runOnce(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { store, policy, clock, log, obstacleOf } = options;
  const removing: Removing = { ...options, bundles: bundleFolder(options.bundleFolder) };
  const now = clock();
  const { migratedAt } = store;
  const verdict = (session: Session) => retentionOf(session, { now, policy, migratedAt });
  for (const candidates of candidatesOf(policy, now)) {
    for await (const batch of inactive(store, candidates)) {
      if (signal.aborted) return;
      const sessionIds: string[] = [];
      for (const { session } of batch) {
        if (verdict(session) !== "remove") continue;
        if (await canContinue(session, obstacleOf)) await resume(options, session.id);
        else sessionIds.push(session.id);
      }
      const isDue = (session: Session): boolean => verdict(session) === "remove";
      await removeSessions(removing, sessionIds, isDue, signal);
      for (const { session, version } of batch) {
        if (verdict(session) !== "archive") continue;
        const command = (current: Session | null) =>
          current !== null && verdict(current) === "archive"
            ? ({ type: "archive", at: clock() } as const)
            : [];
        const execution = { sessionId: session.id, version, command };
        await change(options, execution, "an inactive session was archived");
      }
    }
  }
  await store.forgetAnswers({ olderThan: now - ANSWERS_KEPT_MS });
  for (const bundle of await removing.bundles.removeOld(now, options.bundleMs))
    log.info({ bundle }, "an expired bundle was removed");
}

/** A superset of the due sessions. Failed sessions are few, and their age counts from the failure. */
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

/** Executes a command, and logs it if it changed the session. */
async function change(
  { execute, log }: RetentionOptions,
  execution: Execution,
  text: string,
): Promise<void> {
  const executed = await execute(execution);
  if (executed.ok && executed.events.length > 0) log.info({ sessionId: execution.sessionId }, text);
}

/** Batches of sessions, oldest first, without unreadable ones. */
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
      ...defined({ after }),
    });
    const batch: StoredSession[] = [];
    for (const id of ids) {
      const loaded = await store.load(id);
      if (loaded.found === "session") batch.push(loaded.stored);
    }
    const last = batch.at(-1);
    const [first] = ids;
    // Reading quarantines unreadable sessions, so the next query does not find them.
    if (last === undefined && (first === undefined || first === firstBefore)) return;
    firstBefore = first;
    if (last !== undefined) {
      after = { at: last.session.createdAt, id: last.session.id };
      yield batch;
    }
    await setImmediate();
  }
}

/** The repository of a suspended session may be available again. */
async function canContinue(
  { standing, repoId }: Session,
  obstacleOf: RetentionOptions["obstacleOf"],
): Promise<boolean> {
  return standing.status === "suspended" && (await obstacleOf(repoId)) === null;
}

function resume(options: RetentionOptions, sessionId: string): Promise<void> {
  const comeBack = { type: "come-back", at: options.clock(), obstacle: null } as const;
  const command = (session: Session | null) => (session === null ? [] : comeBack);
  const text = "a session is active again, because its repository is available";
  return change(options, { sessionId, command }, text);
}
