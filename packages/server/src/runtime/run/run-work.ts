import { errorText } from "../../domain/error-text.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import type { Message } from "../../domain/message.ts";
import type { CurrentRun, RunResult, UnusedAnswer } from "../../domain/run.ts";
import { currentRunOf, type Session } from "../../domain/session.ts";
import { AgentFault } from "../../providers/provider.ts";
import { isAbsence } from "../../storage/fault.ts";
import type { Fence } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { FileSnapshot } from "../../domain/files/working-files.ts";
import type { CutRun } from "./cut-run.ts";
import { prepareFolder } from "../folders/prepare-folder.ts";
import { recordBefore } from "./hand-over.ts";
import { suspendForLogin } from "../logins/login-question.ts";
import type { LiveAgent } from "../worker/live-agent.ts";
import { RunAttempt } from "./run-attempt.ts";
import { toRunError } from "./run-error.ts";
import { noticesOf } from "./new-agent-notices.ts";
import { checkBudget } from "./run-budget.ts";
import { applyForRun } from "../settings/apply-settings.ts";
import { loadReadable } from "../session-snapshot.ts";
import { sleep } from "../sleep.ts";
import { promptFor, type RunPrompt } from "./run-prompt.ts";
import { END_REASONS, promptNote, promptOf, storedMessages } from "../take-up/taken-up-run.ts";
import type { PromptNote } from "../take-up/found-agents.ts";
import type { StoredMessages } from "./transcript-writer.ts";
import { unusedAnswers } from "./unused-answers.ts";

/** A run whose agent got its prompt from an earlier server. */
export interface TakenUpRun {
  readonly note: PromptNote;
  /** Null if the agent cannot be taken up. */
  readonly find: (signal: AbortSignal) => Promise<LiveAgent | null>;
}

export interface RunWorkOptions {
  readonly context: RuntimeContext;
  readonly session: Session;
  readonly run: CurrentRun;
  readonly fence: Fence;
  /** The run is stored as handed over to the live agent, which has yet to get it. */
  readonly isHanded: boolean;
  /** The run goes on with an agent of an earlier server; null if it does not. */
  readonly takenUp: TakenUpRun | null;
  /** The live agent if it fits the run, else a new one. */
  readonly findAgent: (session: Session, signal: AbortSignal) => Promise<LiveAgent>;
  readonly stopAgent: () => Promise<void>;
  readonly onWaiting: () => void;
  /** The message of the run; null if it must be read. */
  readonly message: Message | null;
  /** The files before it, if somebody is looking at them already. */
  readonly filesBefore: Promise<FileSnapshot | null> | null;
}

/** How long a stop waits until the output of the agent is stored. */
const SETTLE_MS = 3_000;

/** Failures after which open questions of the agent stay open. */
const LEAVES_QUESTIONS: ReadonlySet<string> = new Set(["agent_exited", "agent_unresponsive"]);

/** Failures of an agent that would not stop by itself. */
const ENDS_AGENT: ReadonlySet<string> = new Set(["agent_unresponsive", "agent_excessive"]);

/** The work of this process on a session's current run: finds an agent, prompts it, and records how the run ended. */
export class RunWork {
  readonly attempt: RunAttempt;
  /** Resolves when the work has ended; never rejects. */
  readonly done: Promise<void>;
  readonly #options: RunWorkOptions;
  readonly #left = new AbortController();
  #live: LiveAgent | null = null;
  /** False if the files before the run are not known, so that those after it need not be. */
  #hasFiles = true;
  /** `ending`: the end of the run is being stored, and it takes no more output. `ended`: it is stored. */
  ending: "open" | "ending" | "ended" = "open";
  #cut: CutRun | null = null;

  constructor(options: RunWorkOptions) {
    const { session, run, fence, onWaiting, stopAgent } = options;
    const { signal } = this.#left;
    const context = options.context.patient(signal);
    this.#options = { ...options, context };
    const atWork = { sessionId: session.id, run, fence, signal };
    this.attempt = new RunAttempt({ context, atWork, onWaiting, stopAgent });
    this.done = this.#work().catch((err: unknown) => {
      context.log.error({ sessionId: session.id, runId: run.id, err }, "a run could not be ended");
    });
  }

  get runId(): string {
    return this.#options.run.id;
  }

  get provider(): string {
    return this.#options.run.provider;
  }

  /** Set when the work broke off and that could not be stored. */
  get cut(): CutRun | null {
    return this.#cut;
  }

  /** Resolves when the output so far is stored, or after a few seconds when the database is away. */
  async settle(): Promise<void> {
    await Promise.race([this.attempt.settle().catch(() => {}), sleep(SETTLE_MS)]);
  }

  /** Ends the work without recording a result. */
  leave(): void {
    this.#left.abort();
  }

  async #work(): Promise<void> {
    const result = await this.#result();
    if (result === null || this.#left.signal.aborted) return;
    if (await this.#isDormant(result)) return;
    await this.#end(result);
  }

  /** How the run ended; null when it has not ended, or another process decides that. */
  async #result(): Promise<RunResult | null> {
    const { context, run, fence, isHanded, findAgent, stopAgent } = this.#options;
    const { takenUp } = this.#options;
    const { signal } = this.#left;
    let { session } = this.#options;
    try {
      if (takenUp !== null) return await this.#goOn(takenUp);
      const budget = await checkBudget(context, session, run, fence);
      if (budget === "waiting") return null;
      if (budget === "stop") return { outcome: "cancelled", reason: "the budget is used up" };
      session = await this.#prepareFolder();
      // The agent may start meanwhile: it changes nothing before it has a prompt.
      const files = run.attempts === 0 ? this.#filesBefore(session) : null;
      const live = await findAgent(session, signal);
      context.failpoint("agent.started");
      await applyForRun(context, { session, run, fence }, live.agent);
      const { memory, knownEnds, roomFor } = live;
      // The message has waited in the queue, so that the agent may just have ended another run.
      if (memory === "live" && !isHanded) await live.agent.untilSilent?.();
      const known = { message: this.#options.message };
      const prompt = await promptFor(context, {
        session,
        run,
        memory,
        knownEnds,
        roomFor,
        ...known,
      });
      if (run.attempts > 0) {
        const { tools } = await this.#adopt(({ complete }) => !complete);
        for (const { callId } of tools) live.adopted.add(callId);
      }
      const notices = live.isNew
        ? await noticesOf(context, session, run, { memory: prompt.memory, missing: live.notices })
        : {};
      for (const [notice, text] of Object.entries(notices)) this.attempt.say(text, notice);
      live.isNew = false;
      this.#live = live;
      const note = promptNote(run, prompt);
      const before = await files;
      if (isHanded && before !== null) this.#recordBefore(before);
      return await this.#prompt(live, { ...prompt, note, before }, { isHanded });
    } catch (error) {
      if (error instanceof AgentFault) {
        if (signal.aborted) return null;
        const atWork = { sessionId: session.id, run, fence };
        const isBegun = { hasUsedTools: false };
        if (await suspendForLogin(context, atWork, error, isBegun)) return null;
        return { outcome: "failed", error: toRunError(error) };
      }
      context.log.error({ sessionId: session.id, runId: run.id, err: error }, "a run broke off");
      await stopAgent();
      // Nothing can be stored now. The worker finds the run without an agent later and cuts it off.
      if (isAbsence(error)) {
        const why = `the database did not take what the agent said (${error.message})`;
        if (!signal.aborted) this.#cut = { runId: run.id, why: () => why };
        return null;
      }
      const message = errorText(error);
      return { outcome: "failed", error: { code: "internal_error", message, detail: null } };
    }
  }

  async #filesBefore(session: Session): Promise<FileSnapshot | null> {
    const { context, run, filesBefore } = this.#options;
    const before = await (filesBefore ?? context.files.before(session, run));
    this.#hasFiles = before !== null;
    return before;
  }

  /** The session with the folder in which its agents work. */
  async #prepareFolder(): Promise<Session> {
    const { context, session, run, fence } = this.#options;
    return prepareFolder(context, {
      session,
      run,
      fence,
      signal: this.#left.signal,
      report: (report) => this.attempt.report(report),
      say: (text, notice, more) => this.attempt.say(text, notice, more),
    });
  }

  async #prompt(
    live: LiveAgent,
    prompt: RunPrompt,
    { isHanded }: { readonly isHanded: boolean },
  ): Promise<RunResult | null> {
    const result = await this.attempt.work(live.agent, prompt, isHanded);
    for (const id of this.attempt.knownEnds) live.knownEnds.add(id);
    if (result === "not_current" || result === "waiting") return null;
    if (result.outcome !== "failed") return result;
    const { endedBy = null } = live.agent;
    if (endedBy !== null) {
      if (!(await this.#waits()))
        this.#cut = { runId: this.runId, why: () => END_REASONS[endedBy] };
      return null;
    }
    if (!ENDS_AGENT.has(result.error.code)) return result;
    await this.#options.stopAgent();
    return result;
  }

  /** The hand-over is stored already, so that the files are recorded while the agent works. */
  #recordBefore(before: FileSnapshot): void {
    const { context, session, run, fence } = this.#options;
    const command = recordBefore(run.id, context.clock(), before);
    context.execute({ sessionId: session.id, command, extras: { fence } }).catch((err: unknown) => {
      context.log.error({ sessionId: session.id, runId: run.id, err }, "files were not recorded");
    });
  }

  /** Goes on with an agent that got its prompt from an earlier server. */
  async #goOn({ note, find }: TakenUpRun): Promise<RunResult | null> {
    const { run } = this.#options;
    await this.#adopt(() => true);
    const live = await find(this.#left.signal);
    if (live === null) {
      if (!(await this.#waits()))
        this.#cut = { runId: run.id, why: () => "its agent could not be taken up" };
      return null;
    }
    this.#live = live;
    this.#options.context.failpoint("recovery.taken-up");
    return this.#prompt(live, promptOf(note), { isHanded: true });
  }

  /** Takes over messages of the run that another agent, or this one for an earlier server, has written. */
  async #adopt(isWanted: (message: Message) => boolean): Promise<StoredMessages> {
    const { context, session, run } = this.#options;
    const ends = await context.store.lastSeqs([session.id]);
    const messages = await context.store.readMessages({ sessionId: session.id });
    const own = messages.filter((message) => message.runId === run.id && isWanted(message));
    const stored = storedMessages(own);
    this.attempt.transcript.adopt(stored, ends.get(session.id) ?? 0);
    return stored;
  }

  /** An agent that died while it waited ends no run: its question stays open, and the next agent gets the answer. */
  async #isDormant(result: RunResult): Promise<boolean> {
    if (result.outcome !== "failed" || !LEAVES_QUESTIONS.has(result.error.code)) return false;
    return this.#waits();
  }

  /** Whether the run has an open question, or an answer that no agent has got. */
  async #waits(): Promise<boolean> {
    const { context, session, run } = this.#options;
    const now = await loadReadable(context.store, session.id);
    if (now === null || currentRunOf(now.session)?.id !== run.id) return false;
    const duty = dutyOf(now.session);
    const isUndelivered = duty.do === "drive" && !duty.handed && this.attempt.hasPrompted;
    return duty.do === "await" || isUndelivered;
  }

  /** None when every answer went to the agent that asked, or when a person ended the run. */
  async #unusedAnswers(result: RunResult): Promise<readonly UnusedAnswer[]> {
    const { context, session, run } = this.#options;
    if (run.attempts === 0 || result.outcome === "cancelled") return [];
    const adopted = this.#live?.adopted ?? new Set<string>();
    return unusedAnswers(context, session.id, run.id, adopted);
  }

  async #end(result: RunResult): Promise<void> {
    const { context, session, run, fence } = this.#options;
    const { usage, transcript } = this.attempt;
    const [unusedAnswers, files] = await Promise.all([
      this.#unusedAnswers(result),
      this.#hasFiles ? context.files.after(session.id, run.id) : [],
    ]);
    this.ending = "ending";
    await transcript.flush();
    context.failpoint("run.ending");
    const at = context.clock();
    const said = transcript.lastLine === null ? {} : { line: transcript.lastLine };
    const end = { at, runId: run.id, result, usage, unusedAnswers, ...said } as const;
    const ended = await context.execute({
      sessionId: session.id,
      command: [...files, { type: "end-run", ...end }],
      extras: { fence },
    });
    if (ended.ok) this.ending = "ended";
    if (ended.ok && result.outcome === "completed") context.logins.confirm(run.provider);
    if (ended.ok && result.outcome === "failed") {
      const { code, message } = result.error;
      context.log.warn({ sessionId: session.id, runId: run.id, code }, message);
    }
  }
}
