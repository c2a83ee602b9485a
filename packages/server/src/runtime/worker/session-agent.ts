import type { CurrentRun } from "../../domain/run.ts";
import type { AgentEndReason } from "./agent-trail.ts";
import { LiveAgent, type StartLiveAgent } from "./live-agent.ts";

interface SessionAgentOptions extends Pick<StartLiveAgent, "context" | "onReport"> {
  /** The agent ended by itself. */
  readonly onExit: () => void;
}

/** The agent that a session has on this node, or none. */
export class SessionAgent {
  readonly #options: SessionAgentOptions;
  #live: LiveAgent | null = null;
  /** An agent that gets no more messages. */
  #retired: LiveAgent | null = null;
  /** The number of callers that wait for its end. No other agent may start before. */
  #endings = 0;

  constructor(options: SessionAgentOptions) {
    this.#options = options;
  }

  get live(): LiveAgent | null {
    return this.#live;
  }

  get isEnding(): boolean {
    return this.#endings > 0;
  }

  /** Whether the agent knows the whole session and can be prompted now. */
  isReadyFor(provider: string): boolean {
    const live = this.#live;
    if (live === null || live.agent.isGone || this.isEnding) return false;
    if (live === this.#retired) return false;
    return live.memory === "live" && live.agent.provider === provider;
  }

  /** The next run gets a new agent, which is connected to other things. */
  retire(): void {
    this.#retired = this.#live;
  }

  /** The live agent if it fits the run, else a new one. */
  async forRun(
    run: CurrentRun,
    start: Pick<StartLiveAgent, "session" | "fence" | "signal">,
  ): Promise<LiveAgent> {
    const isOther = this.#live !== null && this.#live.agent.provider !== run.provider;
    const isApart = this.#live !== null && !this.#live.isConnectedTo(start.session);
    const isToForget = run.continuity === "off" && run.attempts === 0;
    const isGone = this.isEnding || this.#live?.agent.isGone === true;
    if (isOther || isApart || isToForget || isGone) await this.stop("replaced", { urgent: isGone });
    this.#live ??= await LiveAgent.start({
      ...this.#options,
      ...start,
      run,
      onExit: (live) => {
        if (this.#live !== live) return;
        this.#live = null;
        this.#options.onExit();
      },
    });
    return this.#live;
  }

  async stop(reason: AgentEndReason, options: { readonly urgent?: boolean } = {}): Promise<void> {
    const live = this.#live;
    if (live === null) return;
    this.#endings += 1;
    try {
      await live.stop(reason, options);
    } finally {
      this.#endings -= 1;
    }
    if (this.#live === live) this.#live = null;
  }
}
