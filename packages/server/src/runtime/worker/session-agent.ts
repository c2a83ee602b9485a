import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { AgentReport } from "../../providers/provider.ts";
import type { Fence } from "../../storage/store.ts";
import type { AgentEndReason } from "./agent-trail.ts";
import type { RuntimeContext } from "../context.ts";
import { LiveAgent } from "./live-agent.ts";

/** The agent that a session has on this node, or none. */
export class SessionAgent {
  readonly #context: RuntimeContext;
  readonly #onReport: (report: AgentReport) => Promise<void> | undefined;
  readonly #onExit: () => void;
  #live: LiveAgent | null = null;
  /** The number of callers that wait for its end. No other agent may start before. */
  #endings = 0;

  constructor(options: {
    readonly context: RuntimeContext;
    readonly onReport: (report: AgentReport) => Promise<void> | undefined;
    /** The agent ended by itself. */
    readonly onExit: () => void;
  }) {
    this.#context = options.context;
    this.#onReport = options.onReport;
    this.#onExit = options.onExit;
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
    return live.memory === "live" && live.agent.provider === provider;
  }

  /** The live agent if it fits the run, else a new one. */
  async forRun(
    run: CurrentRun,
    { session, fence, signal }: { session: Session; fence: Fence; signal: AbortSignal },
  ): Promise<LiveAgent> {
    const isOther = this.#live !== null && this.#live.agent.provider !== run.provider;
    const isToForget = run.continuity === "off" && run.attempts === 0;
    const isGone = this.isEnding || this.#live?.agent.isGone === true;
    if (isOther || isToForget || isGone) await this.stop("replaced", { urgent: isGone });
    this.#live ??= await LiveAgent.start({
      context: this.#context,
      session,
      run,
      fence,
      signal,
      onReport: this.#onReport,
      onExit: (live) => {
        if (this.#live !== live) return;
        this.#live = null;
        this.#onExit();
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
