import { errorText } from "../../domain/error-text.ts";
import { refuseProvider } from "./refuse-provider.ts";
import { defined } from "../../domain/defined.ts";
import { RESUME_POLICY, type ResumePolicy } from "../../domain/should-resume.ts";
import type { Catalog } from "../../providers/catalog.ts";
import { bundleFolder } from "../bundle/bundle-folder.ts";
import { exportBundle } from "../bundle/export-bundle.ts";
import { importBundle } from "../bundle/import-bundle.ts";
import type { RuntimeContext } from "../context.ts";
import { createSession } from "./create-session.ts";
import { createAgentSessionDeleter } from "./delete-agent-sessions.ts";
import { shareEqual } from "./idempotency.ts";
import { createServerLogins } from "../logins/server-logins.ts";
import { listGrants, revokeGrant } from "../permissions/grants.ts";
import { judgeResume, type ResumeProbes } from "./judge-resume.ts";
import { noSuchSession, refuse } from "../reply.ts";
import type { Repositories } from "../repositories/repositories.ts";
import { removedSessions } from "../upkeep/removed-sessions.ts";
import { createFileFinder } from "../repositories/repository-files.ts";
import { reportEvent } from "./report-event.ts";
import type { AnswerSuspension } from "./request-types.ts";
import type { Runtime } from "../runtime.ts";
import { sendMessage } from "./send-message.ts";
import { readHistory } from "./session-history.ts";
import { readOutput } from "../outputs/read-output.ts";
import { findRun, noSuchRun, readWholeRun } from "./read-run.ts";
import { readMessages, readRuns, readSessionJson, readWholeSession } from "./session-reads.ts";
import {
  answer,
  change,
  deleteSession,
  editQueued,
  fork,
  updateSession,
  withdrawQueued,
} from "./session-requests.ts";
import { describeAll } from "../settings/described-providers.ts";
import { readChanges, readFileDiff, readPatch } from "../files/read-changes.ts";
import { rewindSession } from "../files/rewind-session.ts";
import { createAgentWork } from "../keep/agent-work.ts";
import { noKeeping } from "../keep/no-keeping.ts";
import { createSessionKeeping, type KeepOptions } from "../keep/session-keeping.ts";
import { readOptions } from "../settings/session-options.ts";
import { withSession } from "../session-snapshot.ts";
import { readStats } from "../stats/stats.ts";

/** The requests that need no workers. */
export type Requests = Omit<
  Runtime,
  | "askFromAgent"
  | "drainNode"
  | "listNodes"
  | "measure"
  | "openFeed"
  | "openGlobalFeed"
  | "readiness"
  | "checkDatabase"
>;

export interface RequestOptions {
  readonly catalog: Catalog;
  readonly repositories: Repositories;
  /** The default policy of `shouldResume`. */
  readonly resumePolicy?: ResumePolicy;
  readonly probes?: ResumeProbes;
  /** Holds a bundle during its import; by default the system's temporary folder. */
  readonly spoolFolder?: string;
  /** The bundles of removed sessions. */
  readonly removed?: { readonly folder: string; readonly keptMs: number };
  /** Aborted when the server stops. */
  readonly stopping?: AbortSignal;
  readonly onImported?: (sessionId: string) => void;
  /** How the work of sessions is kept; absent: it cannot be. */
  readonly keep?: KeepOptions;
  /** Writes the default provider to the settings; throws if it cannot. */
  readonly keepDefaultProvider?: (name: string) => void;
}

export function createRequests(context: RuntimeContext, options: RequestOptions): Requests {
  const { store, clock } = context;
  const { catalog, repositories } = options;
  const deleteAgentSessions = createAgentSessionDeleter();
  const findFiles = createFileFinder(repositories, { clock });
  const importSession: Requests["importSession"] = async (lines) => {
    const { spoolFolder } = options;
    const imported = await importBundle({ store, clock, newId: context.newId, spoolFolder }, lines);
    if (imported.ok) options.onImported?.(imported.session.id);
    return imported;
  };
  const removed =
    options.removed === undefined
      ? null
      : removedSessions(
          bundleFolder(options.removed.folder),
          options.removed.keptMs,
          importSession,
        );
  const listProviders: Requests["listProviders"] = async () => ({
    providers: await describeAll(context, catalog.all()),
    defaultProvider: catalog.defaultName,
  });
  return {
    createSession: shareEqual((request) => createSession(context, request)),
    listSessions: ({ provider, ...query }) =>
      store.listSessions({
        ...query,
        ...(provider !== undefined && {
          providers: provider === catalog.defaultName ? [provider, null] : [provider],
        }),
      }),
    findSession: (name) => store.findSession(name),
    readSession: (sessionId) => withSession(store, sessionId, (session) => ({ session })),
    readWholeSession: (sessionId) => readWholeSession(store, sessionId),
    readSessionJson: (request) => readSessionJson(store, request),
    readRaw: async (sessionId) => {
      const raw = await store.readRaw(sessionId);
      return raw === null ? noSuchSession() : { ok: true, raw };
    },
    updateSession: (request) => updateSession(context, request),
    deleteSession: (request) => deleteSession(context, request, deleteAgentSessions),
    sendMessage: (request) => sendMessage(context, request),
    readMessages: (query) => readMessages(store, query),
    readRuns: (query) => readRuns(store, query),
    readRun: (query) => readWholeRun(store, query),
    readOutput: (request) => readOutput(context, request),
    readOptions: (sessionId) => readOptions(context, sessionId),
    readQueue: (sessionId) =>
      withSession(store, sessionId, async () => ({ queue: await store.readQueue(sessionId) })),
    editQueued: (request) => editQueued(context, request),
    withdrawQueued: (request) => withdrawQueued(context, request),
    cancel: async ({ reason, runId, ...request }) => {
      const command = { type: "cancel", at: clock(), reason, ...defined({ runId }) } as const;
      if (runId === undefined) return change(context, request, command);
      const { sessionId } = request;
      const found = await withSession(store, sessionId, async () => ({
        run: await findRun(store, { sessionId, runId }),
      }));
      if (!found.ok) return found;
      return found.run === null ? noSuchRun() : change(context, request, command);
    },
    resume: (request) => change(context, request, { type: "resume", at: clock() }),
    answer: (request) => answer(context, request),
    archive: (request) => change(context, request, { type: "archive", at: clock() }),
    finalize: ({ outcome, summary, ...request }) =>
      change(context, request, { type: "finalize", at: clock(), outcome, summary }),
    fail: ({ reason, ...request }) =>
      change(context, request, { type: "fail", at: clock(), reason }),
    fork: (request) => fork(context, request),
    readChanges: (query) => readChanges(context, query),
    readFileDiff: (query) => readFileDiff(context, query),
    readPatch: (query) => readPatch(context, query),
    rewind: (request) => rewindSession(context, request),
    work:
      options.keep === undefined ? noKeeping(store) : createSessionKeeping(context, options.keep),
    agentWork: createAgentWork(context, options.keep),
    shouldResume: (sessionId, policy) =>
      judgeResume(store, {
        sessionId,
        now: clock(),
        policy: { ...(options.resumePolicy ?? RESUME_POLICY), ...policy },
        ...defined({ probes: options.probes }),
      }),
    exportSession: (sessionId) => exportBundle({ store, clock }, sessionId),
    importSession,
    listRemoved: async (query) => removed?.list(query) ?? { removed: [], total: 0 },
    restoreRemoved: async (sessionId) =>
      removed?.restore(sessionId) ??
      refuse("removed_not_found", "This process has no bundles of removed sessions."),
    listSuspensions: () => store.openSuspensions(),
    listUnusedAnswers: () => store.unusedAnswers(),
    dismissUnused: ({ sessionId, runId }) =>
      withSession(store, sessionId, async () => {
        if ((await findRun(store, { sessionId, runId })) === null) return noSuchRun();
        return { dismissed: await store.dismissUnused({ sessionId, runId }) };
      }),
    reportEvent: async (event) => {
      const answerOne = (request: AnswerSuspension) => answer(context, request);
      return { ok: true, reported: await reportEvent(context, event, answerOne) };
    },
    listGrants: (sessionId) => listGrants(store, sessionId),
    revokeGrant: (request) => revokeGrant(context, request),
    readHistory: (query) => readHistory(store, query),
    addRepo: repositories.add,
    listRepos: repositories.list,
    findRepos: repositories.find,
    removeRepo: repositories.remove,
    findFiles,
    listProviders,
    setDefaultProvider: async (name) => {
      const refused = await refuseProvider(context, name, "request");
      if (refused !== null) return refused;
      try {
        options.keepDefaultProvider?.(name);
      } catch (error) {
        context.log.error({ err: error }, "the default provider could not be written");
        return refuse("settings_not_written", errorText(error));
      }
      catalog.makeDefault(name);
      return { ok: true, ...(await listProviders()) };
    },
    ...createServerLogins({
      provider: catalog.get,
      waits: context.logins,
      log: context.log,
      startsAgents: context.startsAgents,
      stopping: options.stopping ?? new AbortController().signal,
    }),
    stats: (range) => readStats(store, { ...range, now: clock() }),
  };
}
