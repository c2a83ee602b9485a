import type { PermissionPolicy } from "../domain/policy/permission-policy.ts";
import type { Provider, Workspace } from "../providers/provider.ts";
import type { Fence, Store } from "../storage/store.ts";
import type { AgentTrail } from "./worker/agent-trail.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Executed, Execution } from "./execute-command.ts";
import type { Failpoint } from "./failpoint.ts";
import type { Places } from "./worker/places.ts";
import type { Log } from "./log.ts";
import type { Reply } from "./reply.ts";
import type { StoredOutput } from "./run/transcript-writer.ts";
import type { AnsweredLive } from "./run/unused-answers.ts";

export interface Limits {
  readonly liveAgents: number;
  /** Of all nodes together; null for no limit but their own. */
  readonly clusterAgents: number | null;
  /** Event streams that clients of this node may hold open, all together. */
  readonly streams: number;
  /** Messages a session's queue may hold. */
  readonly queue: number;
  /** Further tries after a failure that passes. */
  readonly retries: number;
  /** The first pause before another try; each further one is twice as long. */
  readonly retryPauseMs: number;
  /** An agent that has nothing to do is ended after this. */
  readonly idleMs: number;
  /** A run whose agent says nothing for this long is ended. */
  readonly silentMs: number;
  /** A run waits by itself for the end of a rate limit that is at most this far away; null fails it. */
  readonly rateLimitMs: number | null;
  /** A permission that nobody gives within this time counts as rejected; null waits for ever. */
  readonly permissionMs: number | null;
  /** How much an agent that was not there is told: about so many tokens, and at most so many messages. */
  readonly briefingTokens: number;
  readonly briefingMessages: number | null;
}

export const LIMITS: Limits = {
  liveAgents: 5,
  clusterAgents: null,
  streams: 5_000,
  queue: 100,
  retries: 3,
  retryPauseMs: 500,
  idleMs: 30 * 60_000,
  silentMs: 30 * 60_000,
  rateLimitMs: null,
  permissionMs: null,
  briefingTokens: 8_000,
  briefingMessages: null,
};

/** A repository's folder, opened for an agent. */
export interface OpenWorkspace extends Workspace {
  close(): Promise<void>;
}

/** What the parts of the runtime share. */
export interface RuntimeContext {
  readonly store: Store;
  /** This process, among those that may work on sessions. */
  readonly node: string;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly limits: Limits;
  readonly log: Log;
  /** Told where a crash would show most; does nothing but in tests. */
  readonly failpoint: (name: Failpoint) => void;
  readonly places: Places;
  readonly agents: AgentTrail;
  readonly cluster: Cluster;
  /** Null when there is no provider of that name. */
  readonly provider: (name: string) => Provider | null;
  readonly defaultProvider: string;
  /** False for a command without a server: the server that runs a session knows which providers it has. */
  readonly startsAgents: boolean;
  /** What agents may do without asking a person; null when nothing was said about it. */
  readonly permissions: PermissionPolicy | null;
  readonly openWorkspace: (repoId: string) => Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
  /** Why sessions of the repository cannot go on; null when they can, or have none. */
  readonly obstacleOf: (repoId: string | null) => Promise<string | null>;
  /** Something happened to the session, or may have: whoever works on it looks again. */
  readonly nudge: (sessionId: string) => void;
  /** Deletes a session that cannot be read, so that nothing can be decided about it, and tells whoever watches. */
  readonly removeUnread: (sessionId: string) => Promise<void>;
  /** The fence under which a run can be stored as given to the live agent that has nothing to do; null without one. */
  readonly giveAlong: (
    sessionId: string,
    run: { readonly runId: string; readonly provider: string },
  ) => Fence | null;
  readonly answeredLive: AnsweredLive;
  /** Decides, stores, and tells whoever watches. */
  readonly execute: (execution: Execution) => Promise<Executed>;
  /**
   * The same, for work that is under way: its calls of the store wait while the database is away, until this node's lease is
   * over or the signal is aborted.
   */
  readonly patient: (signal: AbortSignal) => RuntimeContext;
  /** Output of the session was stored, `lagMs` after it was said. */
  readonly onOutput: (sessionId: string, stored: StoredOutput & { readonly lagMs: number }) => void;
  /** The session is gone for good: what was kept outside the store goes too. */
  readonly forgetSession: (sessionId: string) => Promise<void>;
}
