import type { PermissionPolicy } from "../domain/policy/permission-policy.ts";
import type { AgentOffer } from "../domain/settings/agent-offer.ts";
import type { Provider } from "../providers/provider.ts";
import type { Fence, Store, StoredSession } from "../storage/store.ts";
import type { AgentTrail } from "./worker/agent-trail.ts";
import type { LoginWaits } from "./logins/login-waits.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { SecretAnswers } from "./elicitation/secret-answers.ts";
import type { Executed, Execution } from "./execute-command.ts";
import type { Failpoint } from "./failpoint.ts";
import type { AgentSlots } from "./worker/agent-slots.ts";
import type { SessionFolders } from "./folders/session-folders.ts";
import type { SessionFiles } from "./files/session-files.ts";
import type { Log } from "./log.ts";
import type { SpareAgents } from "./spares/spares.ts";
import type { OpenWorkspace } from "./open-workspace.ts";
import type { FoundAgents } from "./take-up/found-agents.ts";
import type { Refused, Reply } from "./reply.ts";
import type { ProviderOffers } from "./settings/provider-offers.ts";
import type { StoredOutput } from "./run/transcript-writer.ts";
import type { AnsweredLive } from "./run/unused-answers.ts";
import type { Nudge } from "./worker/look-round.ts";

export interface Limits {
  readonly liveAgents: number;
  /** Agents of the default provider that are kept ready for sessions. They count as live agents. */
  readonly spareAgents: number;
  /** Live agents of all nodes together; null for no common limit. */
  readonly clusterAgents: number | null;
  /** Open event streams of all clients of this node. */
  readonly streams: number;
  /** Messages in the queue of a session. */
  readonly queue: number;
  /** Retries after a transient failure. */
  readonly retries: number;
  /** The pause before the first retry; it doubles with each retry. */
  readonly retryPauseMs: number;
  /** An idle agent is ended after this time. */
  readonly idleMs: number;
  /** A run is ended if its agent reports nothing for this long. */
  readonly silentMs: number;
  /** A run is ended if its agent writes more messages than this. Each tool call, text and plan is a message. */
  readonly runMessages: number;
  /** A run is ended if its agent writes more than this, in MiB of characters. */
  readonly runMiB: number;
  /** How much of the output of a tool call is kept, in KiB. Agents get it from their provider. */
  readonly outputKiB: number;
  /** The longest rate limit that a run waits out; null fails the run. */
  readonly rateLimitMs: number | null;
  /** A permission without an answer is rejected after this time; null never expires. */
  readonly permissionMs: number | null;
  /** Size of a briefing: approximate tokens, and maximum messages or null. */
  readonly briefingTokens: number;
  readonly briefingMessages: number | null;
}

export const LIMITS: Limits = {
  liveAgents: 5,
  spareAgents: 0,
  clusterAgents: null,
  streams: 5_000,
  queue: 100,
  retries: 3,
  retryPauseMs: 500,
  idleMs: 30 * 60_000,
  silentMs: 30 * 60_000,
  runMessages: 100_000,
  runMiB: 512,
  outputKiB: 256,
  rateLimitMs: null,
  permissionMs: null,
  briefingTokens: 8_000,
  briefingMessages: null,
};

export interface ReservedRun {
  readonly runId: string;
  readonly provider: string;
}

/** An idle agent that is kept for the run of a message until the message's commit is over. */
export interface AgentReservation {
  /** The commit must be made under this fence. */
  readonly fence: Fence;
  /** The commit succeeded or failed. A nudge must follow. */
  readonly endCommit: () => void;
}

/** The dependencies that the parts of the runtime share. */
export interface RuntimeContext {
  readonly store: Store;
  /** The id of this process. */
  readonly node: string;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly limits: Limits;
  readonly log: Log;
  /** Tests crash the process at these points; elsewhere it does nothing. */
  readonly failpoint: (name: Failpoint) => void;
  readonly slots: AgentSlots;
  readonly spares: SpareAgents;
  readonly agents: AgentTrail;
  /** The agents that an earlier server has left. */
  readonly found: FoundAgents;
  readonly cluster: Cluster;
  /** Null if there is no provider with this name. */
  readonly provider: (name: string) => Provider | null;
  /** It can change while the server runs. */
  readonly defaultProvider: () => string;
  /** False for commands without a server, which do not know the providers of the server. */
  readonly startsAgents: boolean;
  /** The configured policy for agents; null if there is none. */
  readonly permissions: PermissionPolicy | null;
  readonly openWorkspace: (repoId: string) => Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
  /** Why no agent could work in the repository; null if one could. */
  readonly refuseRepository: (repoId: string) => Promise<Refused | null>;
  /** A further directory of a session, which need not be a repository. */
  readonly openDirectory: (path: string) => Promise<Reply<{ readonly workspace: OpenWorkspace }>>;
  /** The variables of the server that MCP servers of sessions may use. */
  readonly mcpVariables: readonly string[];
  /** Why sessions of the repository cannot continue; null if they can. */
  readonly obstacleOf: (repoId: string | null) => Promise<string | null>;
  /** The session as this node has stored it last, if it owns it and nobody else may have changed it. Otherwise null. */
  readonly known: (sessionId: string) => StoredSession | null;
  /** Makes the worker of the session look at it again. */
  readonly nudge: (sessionId: string, how?: Nudge) => void;
  /** Resolves when this node has no agent of a deleted session any more. */
  readonly untilCleared: (sessionId: string) => Promise<void>;
  /** Deletes an unreadable session, about which the kernel cannot decide, and ends its feeds. */
  readonly removeUnread: (sessionId: string) => Promise<void>;
  /** Keeps the session's idle agent for a run that is stored as handed over to it. Null without such an agent. */
  readonly reserveAgent: (sessionId: string, run: ReservedRun) => AgentReservation | null;
  /** Whether the session's agent at work takes messages; null when none is at work on this node. */
  readonly canSteer: (sessionId: string) => boolean | null;
  readonly offers: ProviderOffers;
  /** What the session's live agent offers; null if it has none of the provider on this node. */
  readonly liveOffer: (sessionId: string, provider: string) => AgentOffer | null;
  /** The session's agent gets no more messages, because a new one is connected to other things. */
  readonly retireAgent: (sessionId: string) => void;
  readonly answeredLive: AnsweredLive;
  readonly secretAnswers: SecretAnswers;
  readonly logins: LoginWaits;
  /** Decides, commits and notifies the feeds. */
  readonly execute: (execution: Execution) => Promise<Executed>;
  /**
   * A context for running work. Its store calls wait while the database is unreachable, until this node's lease expires or
   * the signal is aborted.
   */
  readonly patient: (signal: AbortSignal) => RuntimeContext;
  /** Output was stored, `lagMs` after the agent sent it. */
  readonly onOutput: (sessionId: string, stored: StoredOutput & { readonly lagMs: number }) => void;
  readonly files: SessionFiles;
  readonly folders: SessionFolders;
  /** The sessions that were warned of others in their folder, with the IDs of those. */
  readonly warned: Map<string, string>;
  /** Deletes the data of a deleted session outside the store. */
  readonly forgetSession: (sessionId: string) => Promise<void>;
}
