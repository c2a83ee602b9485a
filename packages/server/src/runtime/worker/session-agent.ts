import type { Session } from "../../domain/session.ts";
import type { AgentOffer } from "../../domain/settings/agent-offer.ts";
import type { AgentReport, ReportPlace } from "../../providers/provider.ts";
import type { Fence } from "../../storage/store.ts";
import { applyKept, keepChanges } from "../settings/apply-settings.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AgentEndReason } from "./agent-trail.ts";
import { LateOutput } from "./late-output.ts";
import {
  LiveAgent,
  takeUpLiveAgent,
  type StartLiveAgent,
  type TakeUpLiveAgent,
} from "./live-agent.ts";

interface SessionAgentOptions extends Pick<StartLiveAgent, "context" | "onReport"> {
  readonly sessionId: string;
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
  readonly #ended = new Set<LiveAgent>();
  readonly #late: LateOutput;
  /** A start without a run. */
  #warmUp: { readonly ended: Promise<void>; readonly abort: () => void } | null = null;

  constructor(options: SessionAgentOptions) {
    this.#options = options;
    this.#late = new LateOutput(options.context, options.sessionId);
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

  /** What the agent offers; null if it is not of this provider, or there is none. */
  offerOf(provider: string): AgentOffer | null {
    const agent = this.#live?.agent;
    return agent?.provider === provider ? (agent.offer ?? null) : null;
  }

  /** Gives a report to the work on the current run, to the run before it, or keeps what the agent offers. */
  report(
    report: AgentReport,
    place: ReportPlace | undefined,
    work: RunWork | null,
    fence: Fence | null,
  ): Promise<void> | undefined {
    if (this.#late.take(report, place, { work, live: this.#live })) return undefined;
    return (
      work?.attempt.report(report, place) ?? this.#keepOffer(report, work === null ? fence : null)
    );
  }

  /** Stores what the agent offers now. With a fence, also what it changed: no run does that. */
  #keepOffer(report: AgentReport, fence: Fence | null): Promise<void> | undefined {
    const agent = this.#live?.agent;
    if (report.report !== "offer" || agent === undefined) return undefined;
    const { context, sessionId } = this.#options;
    context.offers.keep(agent, { isNew: false });
    if (report.changed === null || fence === null) return undefined;
    const of = { sessionId, provider: agent.provider, fence };
    return keepChanges(context, of, report.changed).catch((err: unknown) => {
      context.log.error({ ...of, err }, "a setting of an idle agent could not be stored");
    });
  }

  /** The settings of the session may have changed, or the last run had its own. */
  async applyKept(session: Session | null): Promise<void> {
    const agent = this.#live?.agent;
    if (session === null || agent === undefined || agent.isGone) return;
    await applyKept(this.#options.context, session, agent);
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
      onExit: this.#onExit,
    });
    return this.#live;
  }

  /** Starts an agent that no run needs yet. It tries once, and a failure is only logged: the next run tries again. */
  async warmUp(start: Pick<StartLiveAgent, "session" | "run" | "fence">): Promise<void> {
    const { context, sessionId } = this.#options;
    const { provider } = start.run;
    const aborting = new AbortController();
    const ended = LiveAgent.start({
      ...this.#options,
      ...start,
      context: { ...context, limits: { ...context.limits, retries: 0 } },
      signal: aborting.signal,
      onExit: this.#onExit,
    }).then(
      (live) => void (this.#live = live),
      (err: unknown) => {
        if (aborting.signal.aborted) return;
        context.log.warn({ sessionId, provider, err }, "an agent could not be started ahead");
      },
    );
    this.#warmUp = { ended, abort: () => aborting.abort() };
    await ended;
    this.#warmUp = null;
  }

  /** Goes on with an agent of an earlier server. Null if that is not possible. */
  async takeUp(
    take: Pick<TakeUpLiveAgent, "session" | "found" | "stored" | "signal">,
  ): Promise<LiveAgent | null> {
    const live = await takeUpLiveAgent({ ...this.#options, ...take, onExit: this.#onExit });
    this.#live = live;
    return live;
  }

  /** Everything that agents of the session said is stored. Those that have ended are not needed any more. */
  forgetEnded(): void {
    for (const { agent } of this.#ended) agent.forget?.();
    this.#ended.clear();
  }

  readonly #onExit = (live: LiveAgent): void => {
    this.#ended.add(live);
    if (this.#live !== live) return;
    this.#live = null;
    void this.#late.flush();
    this.#options.onExit();
  };

  /** Resolves when it is stored what the agent said after its last run. */
  settle(): Promise<void> {
    return this.#late.flush();
  }

  async stop(reason: AgentEndReason, options: { readonly urgent?: boolean } = {}): Promise<void> {
    this.#warmUp?.abort();
    await this.#warmUp?.ended;
    const live = this.#live;
    if (live === null) return this.settle();
    this.#endings += 1;
    try {
      await live.stop(reason, options);
    } finally {
      this.#endings -= 1;
    }
    await this.settle();
    if (this.#live === live) this.#live = null;
  }
}
