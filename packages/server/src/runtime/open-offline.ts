import type { FolderGit } from "../git/folder-git.ts";
import { createAgentTrail } from "./worker/agent-trail.ts";
import { ALONE, drainNode, type Cluster } from "./cluster/cluster.ts";
import { LIMITS, type RuntimeContext } from "./context.ts";
import { executeCommand } from "./execute-command.ts";
import { NO_FAILPOINT } from "./failpoint.ts";
import { nodeView } from "./cluster/node-view.ts";
import type { RuntimeOptions } from "./open-runtime.ts";
import { createSessionFolders } from "./folders/session-folders.ts";
import { sharedFolders } from "./folders/shared-folders.ts";
import { NO_FILES } from "./files/no-files.ts";
import { createSessionFiles } from "./files/session-files.ts";
import type { AgentSlots } from "./worker/agent-slots.ts";
import { createLoginWaits } from "./logins/login-waits.ts";
import { answer } from "./requests/session-requests.ts";
import { createRequests, type RequestOptions, type Requests } from "./requests/requests.ts";
import type { Runtime } from "./runtime.ts";
import { createProviderOffers } from "./settings/provider-offers.ts";
import { createSecretAnswers } from "./elicitation/secret-answers.ts";
import { NO_SPARES } from "./spares/spares.ts";
import { NO_AGENTS } from "./take-up/found-agents.ts";
import { rememberAnswered } from "./run/unused-answers.ts";

export type OfflineOptions = RequestOptions &
  Pick<RuntimeContext, "store" | "clock" | "newId" | "log" | "forgetSession"> &
  Partial<Pick<RuntimeContext, "mcpVariables">> & {
    /** Null: no snapshots of files. */
    readonly git?: FolderGit | null;
    readonly worktrees?: RuntimeOptions["worktrees"];
  };

/** Includes the nodes of a shared database. */
export type Offline = Requests & Pick<Runtime, "drainNode" | "listNodes">;

/**
 * A runtime without workers, for commands without a server. Work that needs an agent waits in the store for a server:
 * messages are queued and answers are stored.
 */
export function openOffline(options: OfflineOptions): Offline {
  const { store, catalog, repositories, git = null } = options;
  const openWorkspace = (repoId: string) => repositories.openForAgent(repoId);
  const execute: RuntimeContext["execute"] = (execution) =>
    executeCommand({ store, newId: options.newId }, execution);
  const folders =
    options.worktrees === undefined
      ? sharedFolders({ openWorkspace })
      : createSessionFolders({ ...options, openWorkspace, ...options.worktrees });
  const files = git === null ? NO_FILES : createSessionFiles({ ...options, execute, folders }, git);
  const forgetSession = async (sessionId: string): Promise<void> => {
    await options.forgetSession(sessionId);
    await folders.forget(sessionId);
    await files.forget(sessionId);
  };
  const context: RuntimeContext = {
    ...options,
    node: "offline",
    limits: LIMITS,
    permissions: null,
    mcpVariables: options.mcpVariables ?? [],
    failpoint: NO_FAILPOINT,
    slots: NO_SLOTS,
    agents: createAgentTrail(options.log, NO_SLOTS.limit),
    found: NO_AGENTS,
    spares: NO_SPARES,
    cluster: ALONE,
    defaultProvider: () => catalog.defaultName,
    startsAgents: false,
    provider: catalog.get,
    openWorkspace,
    refuseRepository: (repoId) => repositories.refuse(repoId),
    openDirectory: (directory) => repositories.openDirectory(directory),
    obstacleOf: async () => null,
    known: () => null,
    nudge: () => {},
    untilCleared: async () => {},
    removeUnread: async (sessionId) => {
      await store.deleteSessions([sessionId]);
      await forgetSession(sessionId);
    },
    forgetSession,
    retireAgent: () => {},
    reserveAgent: () => null,
    canSteer: () => null,
    execute,
    patient: () => context,
    onOutput: () => {},
    answeredLive: rememberAnswered(),
    secretAnswers: createSecretAnswers(),
    logins: createLoginWaits({
      store,
      answer: (request) => answer(context, request),
      log: options.log,
    }),
    offers: createProviderOffers(options),
    liveOffer: () => null,
    files,
    folders,
    warned: new Map(),
  };
  // SQLite has at most one server, and this runtime is not used while it runs.
  const listNodes = async (): Promise<Cluster["nodes"]> =>
    store.isShared ? (await store.listNodes()).map(nodeView) : [];
  return {
    ...createRequests(context, options),
    listNodes,
    drainNode: async (drain) => drainNode(store, { ...ALONE, nodes: await listNodes() }, drain),
  };
}

const NO_SLOTS: AgentSlots = {
  limit: 0,
  taken: 0,
  busy: 0,
  isFull: false,
  holds: () => false,
  mustYield: () => false,
  countRun: () => {},
  take: () => null,
  use: () => {},
  wait: () => {},
  freeIdle: () => false,
  leave: () => {},
};
