import type { Store } from "../storage/store.ts";
import { createAgentTrail } from "./worker/agent-trail.ts";
import { askFromAgent } from "./permissions/agent-questions.ts";
import { MEMBER, type ClusterMember } from "./cluster/cluster-member.ts";
import { drainNode, joinCluster } from "./cluster/cluster.ts";
import type { RuntimeContext } from "./context.ts";
import { comeBack, comeBackLater, findObstacles, rememberObstacles } from "./worker/come-back.ts";
import { continueInterrupted } from "./run/cut-run.ts";
import { NO_FAILPOINT } from "./failpoint.ts";
import { createGlobalFeed } from "./feeds/global-feed.ts";
import { createHintReader } from "./cluster/hint-reader.ts";
import { createHistogram } from "./stats/measurements.ts";
import { patientStore } from "./cluster/patient-store.ts";
import { createWorkerLook } from "./cluster/look-at-workers.ts";
import { createEnd, type EndOptions } from "./end-runtime.ts";
import { createAgentSlots } from "./worker/agent-slots.ts";
import type { DamageWatch } from "./upkeep/damage-watch.ts";
import type { FolderGit } from "../git/folder-git.ts";
import { createSessionFolders, type FolderOptions } from "./folders/session-folders.ts";
import { sharedFolders } from "./folders/shared-folders.ts";
import { NO_FILES } from "./files/no-files.ts";
import { createSessionFiles } from "./files/session-files.ts";
import { readiness } from "./upkeep/readiness.ts";
import { startRecovery } from "./worker/recovery.ts";
import { createLoginWaits } from "./logins/login-waits.ts";
import { refuse } from "./reply.ts";
import { createRequests, type RequestOptions } from "./requests/requests.ts";
import { answer } from "./requests/session-requests.ts";
import { createResumeProbes } from "./requests/resume-probes.ts";
import type { Runtime } from "./runtime.ts";
import { createProviderOffers } from "./settings/provider-offers.ts";
import { createSpareAgents } from "./spares/spare-agents.ts";
import { createSessionFeeds } from "./feeds/session-feeds.ts";
import { withSession } from "./session-snapshot.ts";
import { createCommands } from "./run-commands.ts";
import { CHANGED, WANTED, type Nudge } from "./worker/look-round.ts";
import { SessionWorker } from "./worker/session-worker.ts";
import { createSecretAnswers } from "./elicitation/secret-answers.ts";
import { NO_AGENTS } from "./take-up/found-agents.ts";
import { rememberAnswered } from "./run/unused-answers.ts";

export interface RuntimeOptions
  extends
    Omit<RequestOptions, "probes" | "onImported" | "stopping">,
    Pick<RuntimeContext, "store" | "node" | "limits" | "clock" | "newId" | "log" | "forgetSession">,
    Partial<Pick<RuntimeContext, "permissions" | "mcpVariables" | "failpoint" | "found">> {
  /** The process that this one replaces. It is dead, even if its lease has not expired. */
  readonly formerNode?: string | null;
  /** The node may act for its sessions for so long. */
  readonly onLease?: (ms: number) => void;
  /** The settings of this node. */
  readonly member?: ClusterMember;
  readonly version?: string;
  readonly damageWatch?: Pick<DamageWatch, "damage" | "check">;
  /** How often in a row an interrupted run is continued automatically. */
  readonly continueInterrupted?: number;
  /** Takes snapshots of the working files; null or absent: no snapshots. */
  readonly git?: FolderGit | null;
  /** Makes worktrees for sessions; absent: sessions share the folders of their repositories. */
  readonly worktrees?: Omit<FolderOptions, "store" | "openWorkspace" | "log">;
}

/** `execute` and `obstacleOf` are for background jobs. */
export interface OpenRuntime extends Pick<
  RuntimeContext,
  "execute" | "obstacleOf" | "forgetSession"
> {
  readonly runtime: Runtime;
  /** Whether this node does the work that only one node must do. */
  readonly isEldest: () => boolean;
  /** Suspends the sessions, ends the agents and releases the lease within the deadline. */
  stop(options: EndOptions): Promise<void>;
}

/** Opens the runtime. Recovery of an earlier process's work continues in the background. */
export async function openRuntime(options: RuntimeOptions): Promise<OpenRuntime> {
  const { store, node, log, clock } = options;
  const member = options.member ?? MEMBER;
  const onFailure = (err: unknown): void => log.error({ err }, "a feed could not be read");
  const stopping = new AbortController();
  const patientUntil = (signal: AbortSignal): Store =>
    patientStore(store, (until) => cluster.untilBack(until), member.leaseMs, signal);
  // Streams stay open during a short database outage.
  const readable = patientUntil(stopping.signal);
  const feeds = createSessionFeeds(readable, { onFailure });
  const globalFeed = createGlobalFeed(readable, { name: node, onFailure });
  const commitLatency = createHistogram();
  const eventLag = createHistogram();
  const runsEnded = { completed: 0, failed: 0, cancelled: 0, interrupted: 0 };
  const workers = new Map<string, SessionWorker>();
  /** Resolved when the worker of the session rests. */
  const rests = new Map<string, PromiseWithResolvers<void>>();

  const { execute, executeOn } = createCommands({
    store,
    newId: options.newId,
    feeds,
    globalFeed,
    workers,
    onCommit: async (sessionId, { events }, tookMs) => {
      context.failpoint("command.committed");
      commitLatency.add(tookMs);
      for (const event of events) {
        if (event.type !== "run.ended") continue;
        runsEnded[event.result.outcome] += 1;
        if (event.result.outcome === "interrupted")
          await continueInterrupted(context, sessionId, event.runId, options.continueInterrupted);
      }
    },
    onUnknown: (sessionId) => void notifyAfterOutage(sessionId),
  });

  /** The caller got an error, but the command may be stored. Then feeds and worker must act on it. */
  const notifyAfterOutage = async (sessionId: string): Promise<void> => {
    await cluster.untilBack(stopping.signal);
    if (stopping.signal.aborted) return;
    feeds.touch(sessionId);
    globalFeed.touch(sessionId);
    wake(sessionId, CHANGED);
  };

  const wake = (sessionId: string, how?: Nudge): void => {
    if (stopping.signal.aborted) return;
    let worker = workers.get(sessionId);
    if (worker === undefined) {
      worker = new SessionWorker({
        context,
        sessionId,
        onRest: () => {
          workers.delete(sessionId);
          rests.get(sessionId)?.resolve();
          rests.delete(sessionId);
        },
      });
      workers.set(sessionId, worker);
    }
    worker.nudge(how);
  };

  const slots = createAgentSlots({
    limit: options.limits.liveAgents,
    evict: async (slot) => context.spares.evict(slot) ?? workers.get(slot)?.evict(),
    // Other nodes may have been full too, so the session is offered to all of them.
    offer: (sessionId) => wake(sessionId, WANTED),
  });
  const cluster = await joinCluster({
    ...member,
    version: options.version ?? "",
    store,
    node,
    formerNode: options.formerNode ?? null,
    log,
    slots,
    missingRepos: () => options.repositories.missing(member.labels),
    onHeld: options.onLease,
    // No other node may take sessions over whose agents are alive here.
    onJoined: async () => {
      const from = options.formerNode ?? null;
      if (from === null) return;
      for (const sessionId of options.found?.sessionIds ?? [])
        await store.claim({ sessionId, node, from });
    },
    onLost: (why) => {
      for (const worker of workers.values()) void worker.giveUp(why);
    },
    // Workers may have waited, and commands may be stored although their reply was lost.
    onReturned: () => {
      for (const worker of workers.values()) worker.nudge(CHANGED);
    },
    onDraining: (isDraining) => {
      if (!isDraining) return;
      for (const worker of workers.values()) worker.drain();
      void context.spares.clear();
    },
  });

  const { catalog, repositories } = options;
  const settings = {
    ...options,
    permissions: options.permissions ?? null,
    failpoint: options.failpoint ?? NO_FAILPOINT,
    defaultProvider: () => catalog.defaultName,
    provider: catalog.get,
    openWorkspace: (repoId: string) => repositories.openForAgent(repoId),
    refuseRepository: (repoId: string) => repositories.refuse(repoId),
    openDirectory: (directory: string) => repositories.openDirectory(directory),
    mcpVariables: options.mcpVariables ?? [],
  };
  const { git = null } = options;
  const warned = new Map<string, string>();
  const openWorkspace = (repoId: string) => repositories.openForSession(repoId);
  const folders =
    options.worktrees === undefined
      ? sharedFolders({ openWorkspace })
      : createSessionFolders({ ...settings, openWorkspace, ...options.worktrees });
  const files =
    git === null ? NO_FILES : createSessionFiles({ ...settings, execute, folders }, git);
  const spares = createSpareAgents({ ...settings, slots, cluster }, options.limits.spareAgents);
  const context: RuntimeContext = {
    ...settings,
    startsAgents: true,
    answeredLive: rememberAnswered(),
    secretAnswers: createSecretAnswers(),
    logins: createLoginWaits({ store, answer: (request) => answer(context, request), log }),
    offers: createProviderOffers(options),
    liveOffer: (sessionId, provider) => workers.get(sessionId)?.offerOf(provider) ?? null,
    // A worker also drops an unreadable session; only the data of a deleted one is removed.
    forgetSession: async (sessionId) => {
      const read = await store.readSession(sessionId);
      if (read.found !== "nothing") return;
      await options.forgetSession(sessionId);
      warned.delete(sessionId);
      await folders.forget(sessionId);
      await files.forget(sessionId);
    },
    files,
    folders,
    warned,
    obstacleOf: findObstacles(settings, cluster, member.labels),
    slots,
    agents: createAgentTrail(log, slots.limit),
    found: options.found ?? NO_AGENTS,
    spares,
    cluster,
    execute,
    patient: (signal) => {
      const patient = patientUntil(signal);
      return { ...context, store: patient, execute: (execution) => executeOn(patient, execution) };
    },
    known: (sessionId) => workers.get(sessionId)?.ownership.known ?? null,
    nudge: wake,
    untilCleared: async (sessionId) => {
      if (!workers.has(sessionId)) return;
      const rest = rests.get(sessionId) ?? Promise.withResolvers<void>();
      rests.set(sessionId, rest);
      await rest.promise;
    },
    removeUnread: async (sessionId) => {
      await store.deleteSessions([sessionId]);
      feeds.end(sessionId);
      globalFeed.end(sessionId);
      wake(sessionId, CHANGED);
    },
    retireAgent: (sessionId) => workers.get(sessionId)?.retireAgent(),
    reserveAgent: (sessionId, run) => workers.get(sessionId)?.reserveAgent(run) ?? null,
    canSteer: (sessionId) => workers.get(sessionId)?.canSteer ?? null,
    onOutput: (sessionId, stored) => {
      context.failpoint("output.stored");
      workers.get(sessionId)?.ownership.learnOutput(stored);
      feeds.add(sessionId, stored);
      eventLag.add(stored.lagMs);
    },
  };

  // The sessions become active before the server is ready.
  const obstaclesNow = rememberObstacles(context.obstacleOf);
  if (cluster.isEldest) {
    await comeBack({ ...context, obstacleOf: obstaclesNow }, stopping.signal).catch(
      (err: unknown) => {
        log.error({ err }, "not all sessions could be made active again; it is tried again");
        void comeBackLater(context, stopping.signal);
      },
    );
  }
  const lookAtWorkers = createWorkerLook(store, workers, (err) =>
    log.error({ err }, "the sessions of this node could not be looked at"),
  );
  for (const sessionId of context.found.sessionIds) wake(sessionId, WANTED);
  const recovery = startRecovery(context, {
    obstaclesNow,
    isWorkedOn: (sessionId) => workers.has(sessionId),
    takeUp: (sessionId) => wake(sessionId, WANTED),
    warmUp: ({ sessionId, runId }) => wake(sessionId, { ...WANTED, warmUp: runId }),
    onLook: () => {
      feeds.lookAgain();
      lookAtWorkers();
    },
    signal: stopping.signal,
  });

  spares.begin();

  store.onOutsideWrites(
    createHintReader(context, { feeds, globalFeed, workers, wake, signal: stopping.signal }),
  );

  if (cluster.isEldest)
    context.logins.retryAll().catch((err: unknown) => {
      log.error({ err }, "sessions that wait for a login could not try again");
    });

  const whenRunning = async <Value>(act: () => Promise<Value>) =>
    stopping.signal.aborted ? refuse("server_stopping", "The server is stopping.") : act();

  const requests = createRequests(context, {
    ...options,
    probes: createResumeProbes(options.catalog, { clock }),
    onImported: (sessionId) => globalFeed.touch(sessionId),
    stopping: stopping.signal,
  });
  const runtime: Runtime = {
    ...requests,
    listNodes: async () => cluster.nodes,
    drainNode: (drain) => drainNode(store, cluster, drain),
    createSession: (request) => whenRunning(() => requests.createSession(request)),
    sendMessage: (request) => whenRunning(() => requests.sendMessage(request)),
    resume: (request) => whenRunning(() => requests.resume(request)),
    answer: (request) => whenRunning(() => requests.answer(request)),
    logIn: (request) => whenRunning(() => requests.logIn(request)),
    logOut: (provider) => whenRunning(() => requests.logOut(provider)),
    reportEvent: (event) => whenRunning(() => requests.reportEvent(event)),
    askFromAgent: (request) => whenRunning(() => askFromAgent(context, request)),
    readiness: () => readiness(store, cluster, options.damageWatch?.damage),
    checkDatabase: async () => (await options.damageWatch?.check()) ?? [],
    measure: async () => ({
      ...(await store.tally()),
      damage: options.damageWatch?.damage.length ?? 0,
      runsEnded,
      liveAgents: [...workers.values()].filter(({ hasAgent }) => hasAgent).length,
      busyAgents: slots.busy,
      agentLimit: slots.limit,
      feedReaders: feeds.readers + globalFeed.readers,
      feedReadersDropped: feeds.dropped + globalFeed.dropped,
      eventLag: eventLag.read(),
      commitLatency: commitLatency.read(),
    }),
    openFeed: (request) =>
      withSession(store, request.sessionId, ({ lastSeq }) => ({
        feed: feeds.open({ ...request, lastSeq }),
      })),
    openGlobalFeed: globalFeed.open,
  };

  const end = createEnd(context, {
    workers,
    stopping,
    settleWith: () => {
      for (const rest of rests.values()) rest.resolve();
      return recovery;
    },
    closeFeeds: () => Promise.all([feeds.stop(), globalFeed.stop()]),
    drainMs: member.drainMs,
  });

  return {
    runtime,
    execute,
    isEldest: () => cluster.isEldest,
    obstacleOf: context.obstacleOf,
    forgetSession: context.forgetSession,
    stop: end,
  };
}
