import { setTimeout as pause } from "node:timers/promises";
import type { PermissionPolicy } from "../domain/policy/permission-policy.ts";
import type { ResumePolicy } from "../domain/should-resume.ts";
import type { Catalog } from "../providers/catalog.ts";
import { isAbsence } from "../storage/fault.ts";
import type { Store } from "../storage/store.ts";
import { createAgentTrail } from "./worker/agent-trail.ts";
import { askFromAgent } from "./permissions/agent-questions.ts";
import { MEMBER, type ClusterMember } from "./cluster/cluster-member.ts";
import { joinCluster } from "./cluster/cluster.ts";
import type { Limits, RuntimeContext } from "./context.ts";
import type { Log } from "./log.ts";
import { executeCommand, type Executed, type Execution } from "./execute-command.ts";
import { comeBack } from "./worker/come-back.ts";
import { continueInterrupted } from "./worker/continue-interrupted.ts";
import { drainNode } from "./cluster/drain-node.ts";
import { NO_FAILPOINT } from "./failpoint.ts";
import { createGlobalFeed } from "./feeds/global-feed.ts";
import { createHintReader } from "./cluster/hint-reader.ts";
import { createHistogram } from "./stats/histogram.ts";
import { patientStore } from "./cluster/patient-store.ts";
import { createPlaces } from "./worker/places.ts";
import { readiness } from "./upkeep/readiness.ts";
import { findObstacles } from "./worker/obstacle.ts";
import { startRecovery } from "./worker/recovery.ts";
import { suspendActive } from "./worker/suspend-active.ts";
import { noSuchSession, refuse } from "./reply.ts";
import type { Repositories } from "./repositories/repositories.ts";
import { createRequests } from "./requests/requests.ts";
import { createResumeProbes } from "./requests/resume-probes.ts";
import type { Runtime } from "./runtime.ts";
import { createSessionFeeds } from "./feeds/session-feeds.ts";
import { snapshotOf } from "./session-snapshot.ts";
import { SessionWorker } from "./worker/session-worker.ts";
import { rememberAnswered } from "./run/unused-answers.ts";

export interface RuntimeOptions {
  readonly store: Store;
  /** Unique to this process. */
  readonly node: string;
  /** A process that this one has taken the place of: it is dead for sure, whatever its lease says. */
  readonly formerNode?: string | null;
  readonly catalog: Catalog;
  readonly repositories: Repositories;
  readonly limits: Limits;
  /** When a session should be taken up again, unless who asks says otherwise. */
  readonly resumePolicy?: ResumePolicy;
  /** What agents may do without asking a person; none leaves everything to people. */
  readonly permissions?: PermissionPolicy | null;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly log: Log;
  /** Where a bundle is kept while it arrives; the system's temporary folder, unless told. */
  readonly spoolFolder?: string;
  /** Where the bundles of removed sessions are, and how long they are kept. */
  readonly removed?: { readonly folder: string; readonly keptMs: number };
  /** What this process is among others on a shared database. */
  readonly member?: ClusterMember;
  readonly version?: string;
  /** How often in a row a run that was cut off is continued without anybody asking. */
  readonly continueInterrupted?: number;
  /** The session is gone for good: what was kept outside the store goes too. */
  readonly forgetSession: (sessionId: string) => Promise<void>;
  readonly failpoint?: RuntimeContext["failpoint"];
}

export interface OpenRuntime {
  readonly runtime: Runtime;
  /** Decides, stores, and tells whoever watches; for jobs that change sessions themselves. */
  readonly execute: (execution: Execution) => Promise<Executed>;
  /** Whether this node is the one that does what needs to be done once for all of them. */
  readonly isEldest: () => boolean;
  readonly obstacleOf: RuntimeContext["obstacleOf"];
  /** Suspends the sessions, ends the agents, and lets the lease go; within the time given. */
  stop(options: { readonly deadlineMs: number }): Promise<void>;
}

/** Sessions at work. What an earlier process left unfinished is taken up in the background. */
export async function openRuntime(options: RuntimeOptions): Promise<OpenRuntime> {
  const { store, node, log, clock } = options;
  const member = options.member ?? MEMBER;
  const onFailure = (err: unknown): void => log.error({ err }, "a feed could not be read");
  const stopping = new AbortController();
  const patientUntil = (signal: AbortSignal): Store =>
    patientStore(store, {
      cluster: { untilBack: (until) => cluster.untilBack(until) },
      patienceMs: member.leaseMs,
      signal,
    });
  // Readers keep their streams while the database is away for a moment.
  const readable = patientUntil(stopping.signal);
  const feeds = createSessionFeeds(readable, { onFailure });
  const globalFeed = createGlobalFeed(readable, { name: node, onFailure });
  const commitLatency = createHistogram();
  const eventLag = createHistogram();
  const runsEnded = { completed: 0, failed: 0, cancelled: 0, interrupted: 0 };
  const workers = new Map<string, SessionWorker>();

  const executeOn = async (on: Store, execution: Execution): Promise<Executed> => {
    const begun = performance.now();
    const executed = await executeCommand({ store: on, newId: options.newId }, execution);
    if (!executed.ok || executed.events.length === 0) return executed;
    context.failpoint("command.committed");
    commitLatency.add(performance.now() - begun);
    const { sessionId } = execution;
    for (const event of executed.events) {
      if (event.type !== "run.ended") continue;
      runsEnded[event.result.outcome] += 1;
      if (event.result.outcome === "interrupted") await goOn(sessionId, event.runId);
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
  const execute = async (execution: Execution): Promise<Executed> => {
    try {
      return await executeOn(store, execution);
    } catch (error) {
      if (isAbsence(error)) void lookWhenBack(execution.sessionId);
      throw error;
    }
  };

  /** Whoever asked was told that it failed. It may be stored all the same, and is then acted on. */
  const lookWhenBack = async (sessionId: string): Promise<void> => {
    await cluster.untilBack(stopping.signal);
    if (stopping.signal.aborted) return;
    feeds.touch(sessionId);
    globalFeed.touch(sessionId);
    nudge(sessionId);
  };

  const goOn = async (sessionId: string, runId: string): Promise<void> => {
    const most = options.continueInterrupted ?? 0;
    if (most > 0) await continueInterrupted(context, { sessionId, runId, most });
  };

  const wake = (sessionId: string, how: { readonly isWanted: boolean }): void => {
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
    worker.nudge(how);
  };
  const nudge = (sessionId: string): void => wake(sessionId, { isWanted: false });

  const places = createPlaces({
    limit: options.limits.liveAgents,
    evict: async (sessionId) => workers.get(sessionId)?.evict(),
    // Others may have had no room either: whoever has some now takes it up.
    offer: (sessionId) => wake(sessionId, { isWanted: true }),
  });
  const cluster = await joinCluster({
    ...member,
    version: options.version ?? "",
    store,
    node,
    formerNode: options.formerNode ?? null,
    log,
    places,
    missingRepos: () => options.repositories.missing(member.labels),
    onLost: (why) => {
      for (const worker of workers.values()) void worker.giveUp(why);
    },
    // Whoever waited, and commands whose answer was lost although they are stored.
    onReturned: () => {
      for (const worker of workers.values()) worker.nudge();
    },
    onDraining: (isDraining) => {
      if (isDraining) for (const worker of workers.values()) worker.drain();
    },
  });

  const given = contextOf(options);
  const context: RuntimeContext = {
    ...given,
    obstacleOf: findObstacles({ ...given, cluster, labels: member.labels }),
    places,
    agents: createAgentTrail({ log, limit: places.limit }),
    cluster,
    execute,
    patient: (signal) => {
      const patient = patientUntil(signal);
      return { ...context, store: patient, execute: (execution) => executeOn(patient, execution) };
    },
    nudge,
    removeUnread: async (sessionId) => {
      await store.deleteSessions([sessionId]);
      feeds.end(sessionId);
      globalFeed.end(sessionId);
      nudge(sessionId);
    },
    giveAlong: (sessionId, run) => workers.get(sessionId)?.giveAlong(run) ?? null,
    onOutput: (sessionId, stored) => {
      feeds.add(sessionId, stored);
      eventLag.add(stored.lagMs);
    },
  };

  // Nobody is told that the server is ready before its sessions are.
  if (cluster.isEldest) {
    await comeBack(context, { signal: stopping.signal }).catch((err: unknown) =>
      log.error({ err }, "not all sessions could be made active again"),
    );
  }
  const recovery = startRecovery(context, {
    isWorkedOn: (sessionId) => workers.has(sessionId),
    takeUp: (sessionId) => wake(sessionId, { isWanted: true }),
    onLook: () => feeds.lookAgain(),
    signal: stopping.signal,
  });

  store.onOutsideWrites(
    createHintReader(context, { feeds, globalFeed, workers, wake, signal: stopping.signal }),
  );

  const whenRunning = async <Value>(act: () => Promise<Value>) =>
    stopping.signal.aborted ? refuse("server_stopping", "The server is being stopped.") : act();

  const requests = createRequests(context, {
    ...options,
    probes: createResumeProbes(options.catalog, { clock }),
    onImported: globalFeed.touch,
  });
  const runtime: Runtime = {
    ...requests,
    listNodes: async () => cluster.nodes,
    drainNode: (drain) => drainNode(store, { cluster, ...drain }),
    createSession: (request) => whenRunning(() => requests.createSession(request)),
    sendMessage: (request) => whenRunning(() => requests.sendMessage(request)),
    resume: (request) => whenRunning(() => requests.resume(request)),
    answer: (request) => whenRunning(() => requests.answer(request)),
    reportEvent: (event) => whenRunning(() => requests.reportEvent(event)),
    askFromAgent: (request) => whenRunning(() => askFromAgent(context, request)),
    readiness: () => readiness(store, cluster),
    measure: async () => ({
      ...(await store.tally()),
      runsEnded,
      liveAgents: [...workers.values()].filter(({ hasAgent }) => hasAgent).length,
      busyAgents: places.busy,
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
    if (!cluster.isAlone) {
      await cluster.drain();
      await drained(workers, { withinMs: member.drainMs });
    }
    context.failpoint("stop.begun");
    const late = AbortSignal.timeout(deadlineMs);
    stopping.abort();
    const busy = [...workers.values()].map((worker) => worker.shutDown());
    await Promise.race([Promise.allSettled([recovery, ...busy]), aborted(late)]);
    context.failpoint("stop.suspending");
    // The others have no agent. Those not reached in time are found active at the next start.
    if (cluster.isAlone) {
      await suspendActive(context, { signal: late }).catch((err: unknown) =>
        log.error({ err }, "the sessions could not be suspended"),
      );
    }
    context.failpoint("stop.suspended");
    await Promise.all([feeds.stop(), globalFeed.stop()]);
    await cluster.stop();
  };
  let stopped: Promise<void> | null = null;

  return {
    runtime,
    execute,
    isEldest: () => cluster.isEldest,
    obstacleOf: context.obstacleOf,
    stop: ({ deadlineMs }) => (stopped ??= stopAll(deadlineMs)),
  };
}

/** Until nothing is at work any more, or the time is up. */
async function drained(
  workers: ReadonlyMap<string, SessionWorker>,
  { withinMs }: { readonly withinMs: number },
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline && workers.size > 0) await pause(20);
}

function contextOf(
  options: RuntimeOptions,
): Omit<
  RuntimeContext,
  | "places"
  | "agents"
  | "cluster"
  | "obstacleOf"
  | "execute"
  | "patient"
  | "nudge"
  | "removeUnread"
  | "giveAlong"
  | "onOutput"
> {
  const { catalog, repositories, store, forgetSession, ...rest } = options;
  return {
    ...rest,
    store,
    // A worker lets go of a session that cannot be read as of one that is gone: only the latter is forgotten.
    forgetSession: async (sessionId) => {
      if ((await store.readSession(sessionId)).found === "nothing") await forgetSession(sessionId);
    },
    permissions: options.permissions ?? null,
    answeredLive: rememberAnswered(),
    failpoint: options.failpoint ?? NO_FAILPOINT,
    defaultProvider: catalog.defaultName,
    startsAgents: true,
    provider: catalog.get,
    openWorkspace: (repoId) => repositories.openForAgent(repoId),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return pause(2 ** 31 - 1, undefined, { signal, ref: false }).catch(() => {});
}
