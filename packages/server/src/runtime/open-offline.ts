import { createAgentTrail } from "./worker/agent-trail.ts";
import { ALONE, type Cluster } from "./cluster/cluster.ts";
import { LIMITS, type RuntimeContext } from "./context.ts";
import { drainNode } from "./cluster/drain-node.ts";
import { executeCommand } from "./execute-command.ts";
import { NO_FAILPOINT } from "./failpoint.ts";
import { nodeView } from "./cluster/node-view.ts";
import type { Places } from "./worker/places.ts";
import { createRequests, type RequestOptions, type Requests } from "./requests/requests.ts";
import type { Runtime } from "./runtime.ts";
import { rememberAnswered } from "./run/unused-answers.ts";

export type OfflineOptions = RequestOptions &
  Pick<RuntimeContext, "store" | "clock" | "newId" | "log" | "forgetSession">;

/** Also of nodes, where others are at work on a shared database. */
export type Offline = Requests & Pick<Runtime, "drainNode" | "listNodes">;

/**
 * Sessions without anybody who works on them. What needs an agent waits in the store until a server
 * takes it up: a message is queued, an answer is kept.
 */
export function openOffline(options: OfflineOptions): Offline {
  const { store, catalog, repositories } = options;
  const context: RuntimeContext = {
    ...options,
    node: "offline",
    limits: LIMITS,
    permissions: null,
    failpoint: NO_FAILPOINT,
    places: NO_PLACES,
    agents: createAgentTrail({ log: options.log, limit: NO_PLACES.limit }),
    cluster: ALONE,
    defaultProvider: catalog.defaultName,
    startsAgents: false,
    provider: catalog.get,
    openWorkspace: (repoId) => repositories.openForAgent(repoId),
    obstacleOf: async () => null,
    nudge: () => {},
    removeUnread: async (sessionId) => {
      await store.deleteSessions([sessionId]);
      await options.forgetSession(sessionId);
    },
    giveAlong: () => null,
    execute: (execution) => executeCommand({ store, newId: options.newId }, execution),
    patient: () => context,
    onOutput: () => {},
    answeredLive: rememberAnswered(),
  };
  // A file has one server at most, and nobody asks here while it runs.
  const listNodes = async (): Promise<Cluster["nodes"]> =>
    store.engine === "postgres" ? (await store.listNodes()).map(nodeView) : [];
  return {
    ...createRequests(context, options),
    listNodes,
    drainNode: async (drain) =>
      drainNode(store, { cluster: { ...ALONE, nodes: await listNodes() }, ...drain }),
  };
}

const NO_PLACES: Places = {
  limit: 0,
  taken: 0,
  busy: 0,
  isFull: false,
  isAwaited: false,
  holds: () => false,
  take: () => null,
  use: () => {},
  wait: () => {},
  freeIdle: () => false,
  leave: () => {},
};
