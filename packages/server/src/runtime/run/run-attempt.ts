import type { JsonObject } from "../../domain/json.ts";
import type { CurrentRun, RunError, RunMemory, RunResult } from "../../domain/run.ts";
import { currentRunOf, openSuspensionsOf } from "../../domain/session.ts";
import type { Suspension } from "../../domain/suspension.ts";
import type { Agent, AgentReport, PromptEnd } from "../../providers/provider.ts";
import { AgentFault } from "../../providers/provider.ts";
import type { Fence } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { toAgentAnswer } from "../permissions/permission-answer.ts";
import { permissionQuestion } from "../permissions/permission-question.ts";
import { pauseBefore } from "./retry-pause.ts";
import { closedSuspensions, type RunPrompt } from "./run-prompt.ts";
import { unlessSilent } from "./silence.ts";
import { createStepQueue } from "./step-queue.ts";
import type { OpenTool, TranscriptWriter } from "./transcript-writer.ts";
import { createTranscriptWriter } from "./transcript-writer.ts";

export interface RunAttemptOptions {
  readonly context: RuntimeContext;
  readonly sessionId: string;
  readonly run: CurrentRun;
  readonly fence: Fence;
  /** Aborted when the run is no longer to be worked on: cancelled, evicted, or the server stops. */
  readonly signal: AbortSignal;
  /** The live agent waits for a person, perhaps not for ever. */
  readonly onWaiting: () => void;
  readonly stopAgent: () => Promise<void>;
}

interface HandOptions {
  readonly memory?: RunMemory;
  /** Only if the session has not changed since. */
  readonly version?: number;
}

/** An agent at work on one run, from the prompt to the end: what it says is stored, what it asks is asked. */
export class RunAttempt {
  readonly run: CurrentRun;
  /** An agent has been given the prompt. */
  hasPrompted = false;
  readonly #options: RunAttemptOptions;
  readonly #writer: TranscriptWriter;
  /** Suspensions the live agent waits for, and the name it knows each by. */
  readonly #asked = new Map<string, string>();
  /** Suspensions whose end the live agent knows of. */
  readonly told = new Set<string>();
  /** What must happen one after the other, besides output. */
  readonly #steps = createStepQueue((error) => this.#breakOff(error));
  #agent: Agent | null = null;
  #usage: JsonObject | null = null;
  #usedTools = false;
  /** Calls whose results came from outside: to report those is no use of a tool. */
  #answered: ReadonlySet<string> = new Set();
  /** What the prompt it works on tells of. */
  #tells: readonly string[] = [];
  #heardAt = 0;
  #failure: unknown = null;

  constructor(options: RunAttemptOptions) {
    const { context, sessionId, run, fence } = options;
    this.run = run;
    this.#options = options;
    this.#writer = createTranscriptWriter({
      store: context.store,
      sessionId,
      runId: run.id,
      fence,
      clock: context.clock,
      newId: context.newId,
      onStored: (stored) => context.onOutput(sessionId, stored),
      onRefused: () => {},
      onFailure: (error) => this.#breakOff(error),
    });
  }

  get isWaiting(): boolean {
    return this.#asked.size > 0;
  }

  /** Tool calls that an earlier attempt at this run left open. */
  adopt(open: readonly OpenTool[], log: { readonly after: number }): void {
    this.#writer.adopt(open, log);
  }

  say(text: string, notice: string): void {
    this.#writer.say({ type: "text", text, notice });
  }

  /** Everything the agent says; a promise means: no more before it resolves. */
  report(report: AgentReport): Promise<void> | undefined {
    this.#heardAt = performance.now();
    switch (report.report) {
      case "text":
      case "message":
      case "plan":
        return this.#writer.put(report);
      case "tool":
        this.#usedTools ||= !this.#answered.has(report.callId);
        return this.#writer.put(report);
      case "permission":
        return this.#later(() => this.#ask(report));
      case "wants":
        return this.#later(() => this.#want(report));
      case "withdrawn":
        return this.#later(() => this.#withdraw(report.requestId));
      case "usage":
        this.#usage = { ...this.#usage, ...report.usage };
        return undefined;
      case "title":
        return this.#later(() => this.#suggestTitle(report.title));
      case "alive":
        return undefined;
      default:
        return report satisfies never;
    }
  }

  /**
   * Gives the agent the prompt, again after a passing failure, and returns how the run ended. Throws
   * what is not the agent's fault, and an `AgentFault` once the run is no longer to be worked on.
   */
  async work(
    agent: Agent,
    { isGiven, ...prompt }: RunPrompt & { readonly isGiven: boolean },
  ): Promise<RunResult | "not_current" | "waiting"> {
    const { context, signal } = this.#options;
    this.#agent = agent;
    this.#tells = prompt.tells;
    this.#answered = new Set(prompt.answers?.flatMap(({ callId }) => callId ?? []));
    for (let tries = 0; ; tries += 1) {
      if (isGiven && tries === 0) context.failpoint("run.handed");
      else if ((await this.#hand({ memory: prompt.memory })) !== "handed") return "not_current";
      this.hasPrompted = true;
      this.#usedTools = false;
      try {
        const end = await this.#heard(agent.prompt(prompt));
        for (const id of prompt.tells) this.told.add(id);
        await this.settle();
        this.#usage = end.usage === null ? this.#usage : { ...this.#usage, ...end.usage };
        if (await this.#waits()) {
          this.#writer.endText();
          await this.#writer.flush();
          return "waiting";
        }
        return { outcome: "completed", stopReason: end.stopReason };
      } catch (error) {
        await this.settle();
        if (!(error instanceof AgentFault) || signal.aborted) throw error;
        if (await this.#waitOut(error)) return "waiting";
        const isWorthIt = error.isPassing && !this.#usedTools && tries < context.limits.retries;
        if (!isWorthIt) return { outcome: "failed", error: toRunError(error) };
        if (!(await this.#retry(error, tries))) return "not_current";
      }
    }
  }

  get usage(): JsonObject | null {
    return this.#usage;
  }

  /** Tells the live agent what has been answered meanwhile. */
  deliverAnswers(): Promise<void> {
    return this.#steps.add(() => this.#tellAnswers());
  }

  async #tellAnswers(): Promise<void> {
    const { store, failpoint } = this.#options.context;
    for (const [suspensionId, requestId] of this.#asked) {
      // Evicted meanwhile: the answer waits for the agent that comes next.
      if (this.#options.signal.aborted) return;
      const suspension = await store.readSuspension(suspensionId);
      const answer = suspension === null ? null : toAgentAnswer(suspension);
      if (answer === null) continue;
      this.#asked.delete(suspensionId);
      if (!this.isWaiting && !(await this.#goesOn(suspensionId))) continue;
      this.#heardAt = performance.now();
      failpoint("answer.telling");
      if (this.#agent?.answer(requestId, answer) !== true) continue;
      this.told.add(suspensionId);
      this.#options.context.answeredLive.add(suspensionId);
    }
  }

  /** Resolves when everything said and asked so far is stored. */
  async settle(): Promise<void> {
    await this.#writer.flush();
    await this.#steps.settled;
    await this.#writer.flush();
    if (this.#failure !== null) throw this.#failure;
  }

  #later(step: () => Promise<void>): Promise<void> | undefined {
    const done = this.#steps.add(step);
    return this.#steps.isFull ? done : undefined;
  }

  /** Our own side failed: the agent is stopped, since nothing of what it says could be kept. */
  #breakOff(error: unknown): void {
    this.#failure ??= error;
    void this.#options.stopAgent();
  }

  /** Records that the agent is about to be given something; not for one that is being ended. */
  async #hand({ memory, version }: HandOptions = {}): Promise<"handed" | "refused" | "changed"> {
    const { context, sessionId, fence, run, signal } = this.#options;
    if (signal.aborted) return "refused";
    // From here on nobody takes the place of the agent, which so far may only have waited.
    context.places.use(sessionId, "busy");
    context.failpoint("run.handing");
    const at = context.clock();
    const handed = await context.execute({
      sessionId,
      command: { type: "hand-run", at, runId: run.id, ...(memory !== undefined && { memory }) },
      extras: { fence },
      version,
    });
    context.failpoint("run.handed");
    if (handed.ok) return "handed";
    context.places.use(sessionId, "waiting");
    return "refused" in handed && handed.refused === "version_mismatch" ? "changed" : "refused";
  }

  /**
   * Whether the agent may have this answer. The run counts as handed only if that is all there is to tell: what else was
   * answered, or is open, it learns by a prompt of its own. What is answered between look and record makes it look again.
   */
  async #goesOn(suspensionId: string): Promise<boolean> {
    for (let tries = 0; tries < MAX_LOOKS; tries += 1) {
      const current = await this.#current();
      if (current === null) return false;
      if (current.open > 0 || (await this.#hasOtherNews(suspensionId))) return true;
      const handed = await this.#hand({ version: current.version });
      if (handed !== "changed") return handed === "handed";
    }
    return false;
  }

  async #hasOtherNews(suspensionId: string): Promise<boolean> {
    const { context, sessionId, run } = this.#options;
    const closed = await closedSuspensions(context.store, { sessionId, runId: run.id });
    const known = new Set([suspensionId, ...this.told, ...this.#tells, ...this.#asked.keys()]);
    return closed.some(({ id }) => !known.has(id));
  }

  /** A rate limit whose end is known is waited for without an agent, if that is wanted. */
  async #waitOut({ code, message, retryAfterMs }: AgentFault): Promise<boolean> {
    const { context, sessionId, run } = this.#options;
    const { rateLimitMs, retryPauseMs, retries } = context.limits;
    if (code !== "agent_rate_limited" || rateLimitMs === null || retryAfterMs === null)
      return false;
    const isSoon = retryAfterMs <= retryPauseMs * 2 ** retries;
    if (isSoon || retryAfterMs > rateLimitMs || this.#usedTools) return false;
    const suspensions = await context.store.readSuspensions(sessionId);
    const waits = suspensions.filter(
      ({ runId, kind }) => runId === run.id && kind === "rate_limit",
    );
    if (waits.length >= MAX_RATE_LIMIT_WAITS) return false;
    const until = context.clock() + retryAfterMs;
    const title = `Waiting until ${new Date(until).toISOString()}: ${message}`;
    return this.#suspend({ kind: "rate_limit", request: { title }, expiresAt: until });
  }

  async #retry(fault: AgentFault, tries: number): Promise<boolean> {
    const { context, sessionId, fence, run, signal } = this.#options;
    const retried = await context.execute({
      sessionId,
      command: {
        type: "retry-run",
        at: context.clock(),
        runId: run.id,
        error: toRunError(fault),
      },
      extras: { fence },
    });
    if (!retried.ok) return false;
    await pauseBefore(tries, { fault, firstMs: context.limits.retryPauseMs, signal });
    return !signal.aborted;
  }

  async #ask(report: Extract<AgentReport, { report: "permission" }>): Promise<void> {
    const { context, sessionId, fence, run, onWaiting } = this.#options;
    // The question is about what was said before it.
    await this.#writer.flush();
    const id = context.newId();
    const question = await permissionQuestion(context, { id, sessionId, run, report });
    this.#asked.set(id, report.requestId);
    const asked = await context.execute({ sessionId, command: question, extras: { fence } });
    if (!asked.ok) {
      this.#asked.delete(id);
      this.#agent?.answer(report.requestId, { outcome: "cancelled" });
      return;
    }
    const closed = asked.events.find((event) => event.type === "suspension.closed");
    if (closed === undefined) {
      context.places.use(sessionId, "waiting");
      return onWaiting();
    }
    const { closing } = closed;
    context.log.info({ sessionId, runId: run.id, closing }, "a permission needed no person");
    await this.#tellAnswers();
  }

  /** What comes from outside is awaited without the agent: it has ended its prompt. */
  async #want({ kind, callId, request }: Extract<AgentReport, { report: "wants" }>): Promise<void> {
    await this.#suspend({ kind, request: { ...request, toolCallId: callId }, expiresAt: null });
  }

  async #suspend(suspension: Pick<Suspension, "kind" | "request" | "expiresAt">): Promise<boolean> {
    const { context, sessionId, fence, run } = this.#options;
    await this.#writer.flush();
    const at = context.clock();
    const id = context.newId();
    const suspended = await context.execute({
      sessionId,
      command: {
        type: "suspend-run",
        at,
        runId: run.id,
        suspension: { id, fingerprint: null, createdAt: at, ...suspension },
      },
      extras: { fence },
    });
    return suspended.ok;
  }

  /** Whether something is open, or has been answered while the agent was busy, so that it has not heard of it. */
  async #waits(): Promise<boolean> {
    const current = await this.#current();
    return current !== null && (current.open > 0 || !current.handed);
  }

  /** How it stands with the run, if it is still to be worked on. */
  async #current(): Promise<{ version: number; handed: boolean; open: number } | null> {
    const { context, sessionId, run, signal } = this.#options;
    const loaded = await context.store.load(sessionId);
    if (signal.aborted || loaded.found !== "session") return null;
    const { session, version } = loaded.stored;
    const current = currentRunOf(session);
    if (current?.id !== run.id) return null;
    return { version, handed: current.handed, open: openSuspensionsOf(session).length };
  }

  async #withdraw(requestId: string): Promise<void> {
    const { context, sessionId, fence } = this.#options;
    for (const [suspensionId, asked] of this.#asked) {
      if (asked !== requestId) continue;
      this.#asked.delete(suspensionId);
      this.told.add(suspensionId);
      await context.execute({
        sessionId,
        command: {
          type: "close-suspension",
          at: context.clock(),
          suspensionId,
          how: "withdrawn",
        },
        extras: { fence },
      });
      // It works on without an answer: what it does from here has been begun.
      if (!this.isWaiting) await this.#hand();
    }
  }

  /** An agent's title is better than none, and never replaces one. */
  async #suggestTitle(title: string): Promise<void> {
    const { context, sessionId } = this.#options;
    await context.execute({
      sessionId,
      command: (session) => ({
        type: "update",
        at: context.clock(),
        changes: session?.title === null ? { title: title.slice(0, 200) } : {},
      }),
    });
  }

  /** The prompt's end, unless the agent falls silent first without waiting for anybody. */
  #heard(ending: Promise<PromptEnd>): Promise<PromptEnd> {
    this.#heardAt = performance.now();
    return unlessSilent(ending, {
      silentMs: this.#options.context.limits.silentMs,
      quietMs: () => {
        if (this.isWaiting) this.#heardAt = performance.now();
        return performance.now() - this.#heardAt;
      },
    });
  }
}

/** How often a session may change between look and record before an answer is left to the agent that comes next. */
const MAX_LOOKS = 50;

/** A run that is limited again and again is not waited for without end. */
const MAX_RATE_LIMIT_WAITS = 5;

export function toRunError(fault: AgentFault): RunError {
  return { code: fault.code, message: fault.message, detail: fault.detail };
}
