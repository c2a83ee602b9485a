import { defined } from "../../domain/defined.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { RunResult } from "../../domain/run.ts";
import type { Suspension } from "../../domain/suspension.ts";
import {
  AgentFault,
  type Agent,
  type AgentReport,
  type ReportPlace,
} from "../../providers/provider.ts";
import type { RuntimeContext } from "../context.ts";
import { PREPARING, transition, type AttemptEvent, type AttemptState } from "./attempt-state.ts";
import { storeHandOver, type RunAtWork } from "./hand-over.ts";
import { suspendForLogin } from "../logins/login-question.ts";
import { LiveQuestions, readCurrent } from "./live-questions.ts";
import { LiveSteering } from "./live-steering.ts";
import { keepChanges } from "../settings/apply-settings.ts";
import { repeatReport } from "../take-up/repeat-report.ts";
import { toRunError } from "./run-error.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { rateLimitWait } from "./rate-limit-wait.ts";
import { pauseBefore } from "./retry-pause.ts";
import type { RunPrompt } from "./run-prompt.ts";
import { writeCursor } from "../take-up/agent-cursor.ts";
import {
  createTranscriptWriter,
  type TranscriptReport,
  type TranscriptWriter,
} from "./transcript-writer.ts";

export interface RunAttemptOptions {
  readonly context: RuntimeContext;
  readonly atWork: RunAtWork;
  /** The live agent waits for a person, perhaps not for ever. */
  readonly onWaiting: () => void;
  readonly stopAgent: () => Promise<void>;
}

const MIB = 1024 * 1024;

/** An agent at work on one run, from the prompt to its end. Stores the agent's output and its questions. */
export class RunAttempt {
  readonly #options: RunAttemptOptions;
  readonly transcript: TranscriptWriter;
  readonly #questions: LiveQuestions;
  readonly steering: LiveSteering;
  #state: AttemptState = PREPARING;
  usage: JsonObject | null = null;
  readonly #silence: SilenceWatch;
  /** Reports other than output, stored one after the other. */
  #steps: Promise<void> = Promise.resolve();
  #stepCount = 0;
  #stepTotal = 0;
  /** Rejects once the agent has written more than a run may have. */
  readonly #excess = Promise.withResolvers<never>();
  #isExcessive = false;

  constructor(options: RunAttemptOptions) {
    this.#excess.promise.catch(() => {});
    const { context, atWork, onWaiting } = options;
    const { sessionId, run, fence } = atWork;
    this.#options = options;
    this.#silence = new SilenceWatch(context.limits.silentMs, () => this.isWaiting);
    this.transcript = createTranscriptWriter({
      store: context.store,
      sessionId,
      runId: run.id,
      fence,
      clock: context.clock,
      newId: context.newId,
      onStored: (stored) => context.onOutput(sessionId, stored),
      onFailure: (error) => this.#breakOff(error),
    });
    this.#questions = new LiveQuestions({
      context,
      atWork,
      agent: () => ("agent" in this.#state ? this.#state.agent : null),
      toldByPrompt: () => ("prompt" in this.#state ? this.#state.prompt.tells : []),
      onWaiting,
      onAnswered: () => this.#hear(),
    });
    this.steering = new LiveSteering({
      context,
      atWork,
      agent: () => (this.#state.is === "prompted" ? this.#state.agent : null),
      onTaken: () => this.#endBefore(),
      take: ({ report, place }) => this.#take(report, place),
      onFailure: (error) => this.#breakOff(error),
    });
  }

  /** The live agent waits for a person. */
  get isWaiting(): boolean {
    return this.#questions.isWaiting;
  }

  get hasPrompted(): boolean {
    return this.#state.is !== "preparing";
  }

  /** Suspensions whose end the live agent knows. */
  get knownEnds(): ReadonlySet<string> {
    return this.#questions.knownEnds;
  }

  say(text: string, notice: string, more: JsonObject = {}): void {
    this.transcript.say({ type: "text", text, notice, ...more });
  }

  /** Takes a report of the agent. The next one must wait for the promise, if there is one. */
  report(report: AgentReport, place?: ReportPlace): Promise<void> | undefined {
    this.#hear();
    // The agent is being stopped.
    if (this.#isExcessive || this.steering.holds({ report, place })) return undefined;
    return this.#take(report, place);
  }

  #take(report: AgentReport, place?: ReportPlace): Promise<void> | undefined {
    if (place?.isStored === true) {
      if ("callId" in report) this.#noteTool(report.callId);
      if (report.report === "usage") this.#addUsage(report.usage);
      // Somebody may have answered since.
      if ("requestId" in report) void this.deliverAnswers();
      return repeatReport(report, place, { writer: this.transcript, questions: this.#questions });
    }
    const cursor = place === undefined || "text" in report ? undefined : writeCursor(place);
    switch (report.report) {
      case "tool":
      case "output":
        this.#noteTool(report.callId);
        return this.#put(report, place);
      case "text":
      case "message":
      case "plan":
        return this.#put(report, place);
      case "permission":
      case "elicitation":
        return this.#later(() => this.#questions.ask(report, cursor));
      case "wants": {
        // The agent has ended its prompt. The result is awaited without it.
        const { kind, request, callId } = report;
        const suspension = { kind, request: { ...request, toolCallId: callId }, expiresAt: null };
        return this.#later(async () => void (await this.#suspend(suspension, cursor)));
      }
      case "completed":
        return this.#later(() => this.#questions.complete(report.requestId, cursor));
      case "withdrawn":
        return this.#later(() => this.#questions.withdraw(report.requestId, cursor));
      case "usage":
        this.#addUsage(report.usage);
        return undefined;
      case "title":
        return this.#later(() => this.#suggestTitle(report.title, cursor));
      case "excess":
        this.#endForExcess(report.reason);
        return undefined;
      case "offer": {
        const { changed } = report;
        if (changed === null) return undefined;
        const { context, atWork } = this.#options;
        const agent = { ...atWork, provider: atWork.run.provider, agentCursor: cursor };
        return this.#later(() => keepChanges(context, agent, changed));
      }
      case "alive":
        return undefined;
      default:
        return report satisfies never;
    }
  }

  /**
   * Prompts the agent, again after a failure that may pass, and returns how the run ended. Throws errors that are not the
   * agent's, and an `AgentFault` once the run must not be worked on.
   */
  async work(
    agent: Agent,
    prompt: RunPrompt,
    isHanded: boolean,
  ): Promise<RunResult | "not_current" | "waiting"> {
    try {
      for (let tries = 0; ; tries += 1) {
        if (!(await this.#hand(agent, prompt, isHanded && tries === 0))) return "not_current";
        const end = await this.#prompt(agent, prompt);
        if (!(end instanceof AgentFault)) return end;
        if ((await this.#waitOut(end)) || (await this.#waitForLogin(end))) return "waiting";
        const { limits } = this.#options.context;
        const isWorthIt = end.isPassing && !this.#hasUsedTools && tries < limits.retries;
        if (!isWorthIt) return { outcome: "failed", error: toRunError(end) };
        if (!(await this.#pause(end, tries))) return "not_current";
      }
    } finally {
      this.#on({ type: "end" });
    }
  }

  /** Gives the live agent the answers that are stored. */
  deliverAnswers(): Promise<void> {
    return this.#addStep(() => this.#questions.deliverAnswers());
  }

  /** Resolves when all reports so far are stored. Rejects when they could not be stored. */
  async settle(): Promise<void> {
    await this.steering.settle();
    await this.transcript.flush();
    await this.#steps;
    await this.transcript.flush();
    if (this.#state.is === "broken") throw this.#state.error;
  }

  /** The agent has taken another message. Its text so far is complete, and the prompt cannot be repeated without it. */
  #endBefore(): Promise<void> {
    this.#on({ type: "use-tool" });
    this.transcript.endText();
    return this.transcript.flush();
  }

  #put(report: TranscriptReport, place?: ReportPlace): Promise<void> | undefined {
    // What comes after a question or another step is stored after it.
    if (this.#stepCount > 0) return this.#later(async () => this.#putNow(report, place));
    return this.#putNow(report, place);
  }

  #putNow(report: TranscriptReport, place?: ReportPlace): Promise<void> | undefined {
    const room = this.transcript.put(report, place);
    const { runMessages, runMiB } = this.#options.context.limits;
    const { messages, size } = this.transcript.total;
    if (messages > runMessages)
      this.#endForExcess(`it wrote more than ${runMessages.toLocaleString("en")} messages`);
    else if (size > runMiB * MIB)
      this.#endForExcess(`it wrote more than ${runMiB.toLocaleString("en")} MiB`);
    return room;
  }

  #endForExcess(reason: string): void {
    this.#isExcessive = true;
    this.#excess.reject(new AgentFault("agent_excessive", `The run was ended, because ${reason}.`));
  }

  #on(event: AttemptEvent): void {
    this.#state = transition(this.#state, event);
  }

  #hear(): void {
    this.#silence.hear();
  }

  #addUsage(usage: JsonObject | null): void {
    if (usage !== null) this.usage = { ...this.usage, ...usage };
  }

  get #hasUsedTools(): boolean {
    return this.#state.is === "prompted" && this.#state.hasUsedTools;
  }

  #noteTool(callId: string): void {
    if (this.#state.is !== "prompted" || this.#state.hasUsedTools) return;
    // The prompt brought the result of this call from outside: the agent did not use a tool.
    const isAnswered = this.#state.prompt.answers?.some((answer) => answer.callId === callId);
    if (isAnswered !== true) this.#on({ type: "use-tool" });
  }

  /** Stores something besides output, after the output before it. The agent waits, so that no later output comes first. */
  #later(step: () => Promise<void>): Promise<void> {
    return this.#addStep(async () => {
      await this.transcript.flush();
      await step();
    });
  }

  /** Resolves when the step and all before it are done; never rejects. */
  #addStep(step: () => Promise<void>): Promise<void> {
    this.#stepCount += 1;
    this.#stepTotal += 1;
    if (this.#stepTotal > this.#options.context.limits.runMessages)
      this.#endForExcess("it sent too many requests");
    this.#steps = this.#steps
      .then(step)
      .catch((error: unknown) => this.#breakOff(error))
      .finally(() => (this.#stepCount -= 1));
    return this.#steps;
  }

  /** The server's side failed. The agent is stopped, since its output cannot be stored, unless it goes on without this server. */
  #breakOff(error: unknown): void {
    this.#on({ type: "break", error });
    if (!this.#options.atWork.signal.aborted) void this.#options.stopAgent();
  }

  /** False when the run is over, or must not be worked on. */
  async #hand(agent: Agent, prompt: RunPrompt, isHanded: boolean): Promise<boolean> {
    const { context, atWork } = this.#options;
    this.#on({ type: "hand", agent, prompt });
    if (isHanded) context.failpoint("run.handed");
    else {
      const stored = await storeHandOver(context, atWork, prompt);
      if (stored !== "handed") return false;
    }
    // A process that was paused since may have lost the session, even if it has a lease again: another node may work on it.
    if (!context.cluster.holdsLease || atWork.signal.aborted) return false;
    this.#on({ type: "prompt" });
    return true;
  }

  /** How the prompt ended, or the agent's failure while the run is still to be worked on. */
  async #prompt(agent: Agent, prompt: RunPrompt): Promise<RunResult | "waiting" | AgentFault> {
    try {
      const prompted = agent.prompt(prompt);
      this.#options.context.failpoint("prompt.given");
      const end = await this.#silence.during(prompted, this.#excess.promise);
      for (const id of prompt.tells) this.#questions.knownEnds.add(id);
      await this.settle();
      this.#addUsage(end.usage);
      if (!(await this.#hasNews())) return { outcome: "completed", stopReason: end.stopReason };
      this.transcript.endText();
      await this.transcript.flush();
      return "waiting";
    } catch (error) {
      await this.settle();
      if (!(error instanceof AgentFault) || this.#options.atWork.signal.aborted) throw error;
      return error;
    }
  }

  /** Something is open, or was answered while the agent was busy, so that it does not know of it. */
  async #hasNews(): Promise<boolean> {
    const { context, atWork } = this.#options;
    const current = await readCurrent(context, atWork, { mayBeKnown: true });
    return current !== null && (current.open > 0 || !current.handed);
  }

  /** Suspends the run until a rate limit ends, if that is configured and its end is known. */
  async #waitOut(fault: AgentFault): Promise<boolean> {
    const { context, atWork } = this.#options;
    if (this.#hasUsedTools) return false;
    const wait = await rateLimitWait(context, atWork, fault);
    return wait !== null && this.#suspend(wait);
  }

  /** Suspends the run until somebody has logged in. The agent is stopped, since it may remember that nobody was. */
  async #waitForLogin(fault: AgentFault): Promise<boolean> {
    const { context, atWork, stopAgent } = this.#options;
    const used = { hasUsedTools: this.#hasUsedTools };
    if (!(await suspendForLogin(context, atWork, fault, used))) return false;
    await stopAgent();
    return true;
  }

  /** Records the failure and pauses before the next try. False when the run is over. */
  async #pause(fault: AgentFault, tries: number): Promise<boolean> {
    const { context, atWork } = this.#options;
    const { sessionId, run, fence, signal } = atWork;
    this.#on({ type: "pause" });
    const error = toRunError(fault);
    const recorded = await context.execute({
      sessionId,
      command: { type: "retry-run", at: context.clock(), runId: run.id, error },
      extras: { fence },
    });
    if (!recorded.ok) return false;
    await pauseBefore(tries, fault, context.limits.retryPauseMs, signal);
    return !signal.aborted;
  }

  async #suspend(
    suspension: Pick<Suspension, "kind" | "request" | "expiresAt">,
    agentCursor?: string,
  ): Promise<boolean> {
    const { context, atWork } = this.#options;
    const { sessionId, run, fence } = atWork;
    await this.transcript.flush();
    const at = context.clock();
    const suspended = await context.execute({
      sessionId,
      command: {
        type: "suspend-run",
        at,
        runId: run.id,
        suspension: { id: context.newId(), fingerprint: null, createdAt: at, ...suspension },
      },
      extras: { fence, ...defined({ agentCursor }) },
    });
    return suspended.ok;
  }

  async #suggestTitle(title: string, agentCursor?: string): Promise<void> {
    const { context, atWork } = this.#options;
    const suggestion = { provider: atWork.run.provider, title: title.slice(0, 200) };
    await context.execute({
      sessionId: atWork.sessionId,
      command: { type: "suggest-title", at: context.clock(), ...suggestion },
      extras: defined({ agentCursor }),
    });
  }
}
