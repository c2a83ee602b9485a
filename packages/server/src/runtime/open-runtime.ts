import { setTimeout as pause } from "node:timers/promises";
import type { PermissionPolicy } from "../domain/permission-policy.ts";
import { RESUME_LIMITS, type ResumeLimits } from "../domain/should-resume.ts";
import type { Catalog } from "../providers/catalog.ts";
import type { Store } from "../storage/store.ts";
import { askFromAgent } from "./agent-questions.ts";
import { exportBundle } from "./bundle/export-bundle.ts";
import { importBundle } from "./bundle/import-bundle.ts";
import type { Limits, Log, RuntimeContext } from "./context.ts";
import { createSession } from "./create-session.ts";
import { executeCommand, type Executed, type Execution } from "./execute-command.ts";
import { createGlobalFeed } from "./global-feed.ts";
import { listGrants, revokeGrant } from "./grants.ts";
import { createHistogram } from "./histogram.ts";
import { judgeResume } from "./judge-resume.ts";
import { startLease } from "./node-lease.ts";
import { createPlaces } from "./places.ts";
import { readiness } from "./readiness.ts";
import { startRecovery } from "./recovery.ts";
import { suspendActive } from "./suspend-active.ts";
import { noSuchSession, refuse } from "./replies.ts";
import type { Repositories } from "./repositories.ts";
import type { Runtime } from "./runtime.ts";
import { sendMessage } from "./send-message.ts";
import { createSessionFeeds } from "./session-feeds.ts";
import { readHistory } from "./session-history.ts";
import { readMessages, readSession, readWholeSession } from "./session-reads.ts";
import {
  answer,
  change,
  deleteSession,
  editQueued,
  fork,
  updateSession,
  withdrawQueued,
} from "./session-requests.ts";
import { snapshotOf } from "./session-snapshot.ts";
import { SessionWorker } from "./session-worker.ts";
import { readStats } from "./stats.ts";

export interface RuntimeOptions {
  readonly store: Store;
  /** Unique to this process. */
  readonly node: string;
  readonly catalog: Catalog;
  readonly repositories: Repositories;
  readonly limits: Limits;
  readonly resumeLimits?: ResumeLimits;
  /** What agents may do without asking a person; none leaves everything to people. */
  readonly permissions?: PermissionPolicy | null;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly log: Log;
  /** The session is gone for good: what was kept outside the store goes too. */
  readonly forgetSession: (sessionId: string) => Promise<void>;
}

export interface OpenRuntime {
  readonly runtime: Runtime;
  /** Decides, stores, and tells whoever watches; for jobs that change sessions themselves. */
  readonly execute: (execution: Execution) => Promise<Executed>;
  /** Suspends the sessions, ends the agents, and lets the lease go; within the time given. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** Sessions at work. What an earlier process left unfinished is taken up in the background. */
export async function openRuntime(options: RuntimeOptions): Promise<OpenRuntime> {
  const { store, node, log, clock, repositories } = options;
  const startedAt = clock();
  const lease = await startLease({ store, node, log });
  const onFailure = (err: unknown): void => log.error({ err }, "a feed could not be read");
  const feeds = createSessionFeeds(store, { onFailure });
  const globalFeed = createGlobalFeed(store, { name: node, onFailure });
  const commitLatency = createHistogram();
  const eventLag = createHistogram();
  const runsEnded = { completed: 0, failed: 0, cancelled: 0, interrupted: 0 };
  const workers = new Map<string, SessionWorker>();
  const stopping = new AbortController();

  const execute = async (execution: Execution): Promise<Executed> => {
    const begun = performance.now();
    const executed = await executeCommand(options, execution);
    if (!executed.ok || executed.events.length === 0) return executed;
    commitLatency.add(performance.now() - begun);
    const { sessionId } = execution;
    for (const event of executed.events) {
      if (event.type === "run.ended") runsEnded[event.result.outcome] += 1;
    }
    if (executed.session === null) {
      feeds.end(sessionId);
      globalFeed.end(sessionId);
    } else {
      feeds.touch(sessionId);
      globalFeed.touch(sessionId);
    }
    return executed;
  };

  const nudge = (sessionId: string): void => {
    if (stopping.signal.aborted) return;
    let worker = workers.get(sessionId);
    if (worker === undefined) {
      worker = new SessionWorker({
        context: context,
        sessionId,
        onRest: () => void workers.delete(sessionId),
      });
      workers.set(sessionId, worker);
    }
    worker.nudge();
  };

  const context: RuntimeContext = {
    ...contextOf(options),
    places: createPlaces({
      limit: options.limits.liveAgents,
      evict: async (sessionId) => workers.get(sessionId)?.evict(),
      offer: nudge,
    }),
    execute,
    nudge,
    onOutput: (sessionId, stored) => {
      feeds.add(sessionId, stored);
      eventLag.add(stored.lagMs);
    },
  };
  const { places } = context;

  const recovery = startRecovery(context, {
    startedAt,
    isWorkedOn: (sessionId) => workers.has(sessionId),
    signal: stopping.signal,
  });

  const whenRunning = async <Value>(act: () => Promise<Value>) =>
    stopping.signal.aborted ? refuse("server_stopping", "The server is being stopped.") : act();

  const runtime: Runtime = {
    createSession: (request) => whenRunning(() => createSession(context, request)),
    listSessions: (query) => store.listSessions(query),
    readSession: (sessionId) => readSession(store, sessionId),
    readWholeSession: (sessionId) => readWholeSession(store, sessionId),
    updateSession: (request) => updateSession(context, request),
    deleteSession: (request) => deleteSession(context, request),
    sendMessage: (request) => whenRunning(() => sendMessage(context, request)),
    readMessages: (query) => readMessages(store, query),
    readQueue: async (sessionId) => {
      const session = await snapshotOf(store, sessionId);
      return session === null
        ? noSuchSession()
        : { ok: true, queue: await store.readQueue(sessionId) };
    },
    editQueued: (request) => editQueued(context, request),
    withdrawQueued: (request) => withdrawQueued(context, request),
    cancel: ({ reason, ...request }) =>
      change(context, request, { type: "cancel", at: clock(), reason }),
    resume: (request) =>
      whenRunning(() => change(context, request, { type: "resume", at: clock() })),
    answer: (request) => whenRunning(() => answer(context, request)),
    archive: (request) => change(context, request, { type: "archive", at: clock() }),
    finalize: ({ outcome, summary, ...request }) =>
      change(context, request, { type: "finalize", at: clock(), outcome, summary }),
    fail: ({ reason, ...request }) =>
      change(context, request, { type: "fail", at: clock(), reason }),
    fork: (request) => fork(context, request),
    shouldResume: (sessionId) =>
      judgeResume(store, {
        sessionId,
        now: clock(),
        limits: options.resumeLimits ?? RESUME_LIMITS,
      }),
    exportSession: (sessionId) => exportBundle({ store, clock }, sessionId),
    importSession: async (lines) => {
      const imported = await importBundle({ store, newId: options.newId, clock }, lines);
      if (imported.ok) globalFeed.touch(imported.session.id);
      return imported;
    },
    listSuspensions: () => store.openSuspensions(),
    listGrants: (sessionId) => listGrants(store, sessionId),
    revokeGrant: (request) => revokeGrant(context, request),
    askFromAgent: (request) => whenRunning(() => askFromAgent(context, request)),
    readHistory: (query) => readHistory(store, query),
    addRepo: (request) => repositories.add(request),
    listRepos: () => repositories.list(),
    removeRepo: (repoId) => repositories.remove(repoId),
    listProviders: async () => ({
      providers: await Promise.all(options.catalog.all().map((provider) => provider.describe())),
      defaultProvider: options.catalog.defaultName,
    }),
    stats: (range) => readStats(store, range),
    readiness: () => readiness(store),
    measure: async () => ({
      ...(await store.tally()),
      runsEnded,
      liveAgents: [...workers.values()].filter(({ hasAgent }) => hasAgent).length,
      agentLimit: places.limit,
      feedReaders: feeds.readers + globalFeed.readers,
      feedReadersDropped: feeds.dropped + globalFeed.dropped,
      eventLag: eventLag.read(),
      commitLatency: commitLatency.read(),
    }),
    openFeed: async ({ sessionId, after, onItem, onEnd }) => {
      const session = await snapshotOf(store, sessionId);
      if (session === null) return noSuchSession();
      const { lastSeq } = session;
      return { ok: true, feed: feeds.open({ sessionId, after, lastSeq, onItem, onEnd }) };
    },
    openGlobalFeed: (request) => globalFeed.open(request),
  };

  const stopAll = async (deadlineMs: number): Promise<void> => {
    const late = AbortSignal.timeout(deadlineMs);
    stopping.abort();
    const busy = [...workers.values()].map((worker) => worker.shutDown());
    await Promise.race([Promise.allSettled([recovery, ...busy]), aborted(late)]);
    // The others have no agent. Those not reached in time are found active at the next start.
    if (store.engine === "sqlite") {
      await suspendActive(context, { cause: "shutdown", before: Infinity, signal: late });
    }
    await Promise.all([feeds.stop(), globalFeed.stop()]);
    await lease.stop();
  };
  let stopped: Promise<void> | null = null;

  return {
    runtime,
    execute,
    stop: ({ deadlineMs }) => (stopped ??= stopAll(deadlineMs)),
  };
}

function contextOf(
  options: RuntimeOptions,
): Omit<RuntimeContext, "places" | "execute" | "nudge" | "onOutput"> {
  const { catalog, repositories, ...rest } = options;
  return {
    ...rest,
    permissions: options.permissions ?? null,
    defaultProvider: catalog.defaultName,
    provider: catalog.get,
    openWorkspace: (repoId) => repositories.openForAgent(repoId),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return pause(2 ** 31 - 1, undefined, { signal, ref: false }).catch(() => {});
}
