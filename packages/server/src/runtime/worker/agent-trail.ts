import type { AgentProcess } from "../../providers/provider.ts";
import type { Log } from "../log.ts";

/** Why an agent ended. `exited`: by itself. */
export type AgentEndReason =
  | "exited"
  | "start_failed"
  | "idle"
  | "evicted"
  | "drained"
  | "replaced"
  | "rewound"
  | "run_cancelled"
  | "run_failed"
  | "session_closed"
  | "taken_over"
  | "lease_lost"
  | "shutdown";

export interface TrailedAgent {
  readonly sessionId: string;
  readonly runId: string;
  readonly provider: string;
  /** The folder it works in. */
  readonly workspace: string;
}

export type AgentTrail = ReturnType<typeof createAgentTrail>;
export type AgentRecord = ReturnType<AgentTrail["started"]>;

/** Logs each start and each end of an agent, with the number of live agents after it. At most `limit` are live. */
export function createAgentTrail(log: Log, limit: number) {
  let live = 0;
  return {
    started(agent: TrailedAgent & AgentProcess) {
      const { sessionId, runId, provider, workspace, pid, exited } = agent;
      let unless: AgentEndReason = "start_failed";
      let reason: AgentEndReason | null = null;
      live += 1;
      log.info({ sessionId, runId, provider, pid, workspace, live, limit }, "agent started");
      void exited.then(({ code, signal }) => {
        live -= 1;
        const end = { code, signal, reason: reason ?? unless };
        log.info({ sessionId, provider, pid, ...end, live, limit }, "agent ended");
      });
      return {
        /** The agent can be prompted. */
        isReady: (): void => {
          unless = "exited";
        },
        /** The agent is about to be ended. The first reason counts. */
        endsFor: (why: AgentEndReason): void => {
          reason ??= why;
        },
      };
    },
  };
}
