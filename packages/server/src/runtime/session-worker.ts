import type { Command } from "../domain/command.ts";
import { dutyOf } from "../domain/duty.ts";
import type { CurrentRun } from "../domain/run.ts";
import { currentRunOf, type Session } from "../domain/session.ts";
import type { Fence } from "../storage/store.ts";
import type { RuntimeContext } from "./context.ts";
import { LiveAgent } from "./live-agent.ts";
import { runStart } from "./run-start.ts";
import { RunWork } from "./run-work.ts";

/**
 * Makes the world be as the stored session says. It looks at the session's duty whenever something
 * happened and does the next step; after a crash another worker begins with the same look.
 */
export class SessionWorker {
  readonly #context: RuntimeContext;
  readonly #sessionId: string;
  readonly #onRest: () => void;
  #fence: Fence | null = null;
  #agent: LiveAgent | null = null;
  #work: RunWork | null = null;
  #settling: Promise<void> | null = null;
  #again = false;
  #idleTimer: NodeJS.Timeout | null = null;
  #laterTimer: NodeJS.Timeout | null = null;
  #runsInARow = 0;
  #isStopping = false;

  constructor(options: {
    readonly context: RuntimeContext;
    readonly sessionId: string;
    /** Nothing is going on any more; a later nudge may go to another worker. */
    readonly onRest: () => void;
  }) {
    this.#context = options.context;
    this.#sessionId = options.sessionId;
    this.#onRest = options.onRest;
  }

  /** Something happened to the session, or may have. */
  nudge(): void {
    if (this.#isStopping) return;
    this.#again = true;
    this.#settling ??= this.#settleAll()
      .catch((error: unknown) => {
        const { log } = this.#context;
        log.error({ sessionId: this.#sessionId, err: error }, "a session could not be looked at");
        this.#laterAgain();
      })
      .finally(() => {
        this.#settling = null;
        if (this.#again && !this.#isStopping) this.nudge();
        else if (this.#isAtRest) this.#onRest();
      });
  }

  get hasAgent(): boolean {
    return this.#agent !== null;
  }

  /** Ends the agent to make its place free. The session loses nothing: what it waits for is stored. */
  async evict(): Promise<void> {
    this.#context.log.info({ sessionId: this.#sessionId }, "agent ended to make room for another");
    this.#work?.leave();
    await this.#stopAgent({ urgent: true });
    this.nudge();
  }

  /** The server goes away: the session is stored as suspended, then its agent is made to end. */
  async shutDown(): Promise<void> {
    this.#isStopping = true;
    this.#clearTimers();
    const context = this.#context;
    await this.#work?.attempt.settle().catch(() => {});
    await context.execute({
      sessionId: this.#sessionId,
      command: { type: "suspend", at: context.clock(), cause: "shutdown" },
      ...(this.#fence !== null && { extras: { fence: this.#fence } }),
    });
    this.#work?.leave();
    await this.#stopAgent({ urgent: true });
    await Promise.allSettled([this.#settling, this.#work?.done]);
    // One that was just starting when it was told to go.
    await this.#stopAgent({ urgent: true });
  }

  get #isAtRest(): boolean {
    return (
      this.#agent === null &&
      this.#work === null &&
      this.#laterTimer === null &&
      !this.#again &&
      !this.#isStopping
    );
  }

  async #settleAll(): Promise<void> {
    while (this.#again && !this.#isStopping) {
      this.#again = false;
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    const session = await this.#load();
    const duty = dutyOf(session);
    this.#clearTimers();
    if (this.#work !== null && this.#work.runId !== currentRunIdOf(session)) {
      // Cancelled, interrupted or deleted: the log says so already, the agent learns it now.
      await this.#windDown(this.#work, { atOnce: duty.do === "clear" });
      this.#again = true;
      return;
    }
    switch (duty.do) {
      case "clear":
        await this.#stopAgent({ urgent: true });
        await this.#letGo();
        if (session === null) await this.#context.forgetSession(this.#sessionId);
        return;
      case "rest":
        this.#runsInARow = 0;
        return this.#rest("idle");
      case "start":
        return this.#start(duty.runId, session);
      case "drive":
        return this.#drive(session, duty);
      case "await":
        await this.#work?.attempt.deliverAnswers();
        this.#expireAt(duty.until);
        return this.#work === null ? this.#rest("waiting") : undefined;
      default:
        return duty satisfies never;
    }
  }

  async #load(): Promise<Session | null> {
    const loaded = await this.#context.store.load(this.#sessionId);
    return loaded.found === "session" ? loaded.stored.session : null;
  }

  /** Nothing is to be done now; an agent that lives may be ended when its time is up. */
  async #rest(use: "idle" | "waiting"): Promise<void> {
    if (this.#agent === null) return this.#letGo();
    this.#context.places.use(this.#sessionId, use);
    this.#idleTimer = setTimeout(() => void this.#reap(), this.#context.limits.idleMs);
    this.#idleTimer.unref();
  }

  async #reap(): Promise<void> {
    if (this.#work !== null || this.#isStopping) return;
    this.#context.log.info({ sessionId: this.#sessionId }, "idle agent ended");
    await this.#stopAgent();
    this.nudge();
  }

  /** Nothing of the session needs this process. */
  async #letGo(): Promise<void> {
    this.#context.places.leave(this.#sessionId);
    const fence = this.#fence;
    this.#fence = null;
    if (fence !== null) await this.#context.store.release({ sessionId: this.#sessionId, ...fence });
  }

  async #start(runId: string, session: Session | null): Promise<void> {
    const { places } = this.#context;
    const entry = session?.queue[0];
    if (session === null || entry === undefined) return;
    if (
      places.isAwaited &&
      places.holds(this.#sessionId) &&
      this.#runsInARow >= MAX_RUNS_IN_A_ROW
    ) {
      this.#runsInARow = 0;
      await this.#stopAgent();
      places.leave(this.#sessionId);
      return places.wait(this.#sessionId);
    }
    const place = places.take(this.#sessionId);
    if (place === null) return places.wait(this.#sessionId);
    await place;
    this.#runsInARow += 1;
    const { clock, defaultProvider } = this.#context;
    await this.#command({
      type: "start-run",
      at: clock(),
      runId,
      start: runStart(entry, { session, defaultProvider }),
    });
  }

  async #drive(
    session: Session | null,
    { runId, handed }: { readonly runId: string; readonly handed: boolean },
  ): Promise<void> {
    if (this.#work?.runId === runId) {
      this.#context.places.use(this.#sessionId, "busy");
      return this.#work.attempt.deliverAnswers();
    }
    const run = session === null ? null : currentRunOf(session);
    if (session === null || run === null) return;
    if (handed) {
      // No agent of ours works on it: it was cut off, and what came of it nobody knows.
      return this.#command({ type: "suspend", at: this.#context.clock(), cause: "crash" });
    }
    const place = this.#context.places.take(this.#sessionId);
    if (place === null) return this.#context.places.wait(this.#sessionId);
    await place;
    const fence = await this.#claim();
    if (fence === null) return this.#letGo();
    this.#begin(session, run, fence);
  }

  /** A step of ours, under our fence. Once it is taken, the session is looked at again. */
  async #command(command: Command): Promise<void> {
    const fence = await this.#claim();
    if (fence === null) return this.#letGo();
    const sessionId = this.#sessionId;
    const executed = await this.#context.execute({ sessionId, command, extras: { fence } });
    if (executed.ok) this.#again = true;
    else if ("refused" in executed && executed.refused === "fenced") {
      // Another node took the session over: what lives of it here must not go on.
      this.#fence = null;
      await this.#stopAgent({ urgent: true });
      await this.#letGo();
      // Unless it was let go of again: then it is for whoever claims it.
      this.#again = true;
    }
  }

  #begin(session: Session, run: CurrentRun, fence: Fence): void {
    const work = new RunWork({
      context: this.#context,
      session,
      run,
      fence,
      agentFor: (_, signal) => this.#agentFor(session, { run, signal }),
      stopAgent: () => this.#stopAgent({ urgent: true }),
      onWaiting: () => this.nudge(),
    });
    this.#work = work;
    void work.done.then(() => {
      if (this.#work === work) this.#work = null;
      this.nudge();
    });
  }

  async #agentFor(
    session: Session,
    { run, signal }: { run: CurrentRun; signal: AbortSignal },
  ): Promise<LiveAgent> {
    const isOther = this.#agent !== null && this.#agent.agent.provider !== run.provider;
    const isToForget = run.continuity === "off" && run.attempts === 0;
    if (isOther || isToForget) await this.#stopAgent();
    this.#agent ??= await LiveAgent.start({
      context: this.#context,
      session,
      run,
      signal,
      onReport: (report) => this.#work?.attempt.report(report),
      onExit: (live) => this.#forget(live),
    });
    return this.#agent;
  }

  #forget(live: LiveAgent): void {
    if (this.#agent !== live) return;
    this.#agent = null;
    this.nudge();
  }

  async #windDown(work: RunWork, { atOnce }: { readonly atOnce: boolean }): Promise<void> {
    work.leave();
    const live = this.#agent;
    const mustStop = atOnce || (live !== null && (await live.agent.cancel()) === "ignored");
    if (mustStop) await this.#stopAgent({ urgent: true });
    await work.done;
  }

  async #stopAgent(options: { readonly urgent?: boolean } = {}): Promise<void> {
    const live = this.#agent;
    if (live === null) return;
    await live.agent.stop(options);
    if (this.#agent === live) this.#agent = null;
  }

  async #claim(): Promise<Fence | null> {
    if (this.#fence !== null) return this.#fence;
    const { store, node, log } = this.#context;
    const claim = await store.claim({ sessionId: this.#sessionId, node });
    if (!claim.ok) {
      log.info({ sessionId: this.#sessionId, owner: claim.owner }, "another node has the session");
      return null;
    }
    this.#fence = { node, epoch: claim.epoch };
    return this.#fence;
  }

  #expireAt(until: number | null): void {
    if (until === null) return;
    const delayMs = Math.min(Math.max(0, until - this.#context.clock()), MAX_TIMER_MS);
    this.#laterTimer = setTimeout(() => void this.#expire(), delayMs);
    this.#laterTimer.unref();
  }

  async #expire(): Promise<void> {
    const session = await this.#load();
    const now = this.#context.clock();
    if (session === null || !("activity" in session.standing)) return;
    const { activity } = session.standing;
    if (activity.state !== "suspended") return this.nudge();
    for (const { id, expiresAt } of activity.suspensions) {
      if (expiresAt === null || expiresAt > now) continue;
      await this.#context.execute({
        sessionId: this.#sessionId,
        command: { type: "close-suspension", at: now, suspensionId: id, how: "expired" },
      });
    }
    this.nudge();
  }

  #clearTimers(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    if (this.#laterTimer !== null) clearTimeout(this.#laterTimer);
    this.#idleTimer = null;
    this.#laterTimer = null;
  }

  /** The database failed: it is looked at again when that may have passed. */
  #laterAgain(): void {
    this.#laterTimer = setTimeout(() => this.nudge(), LOOK_AGAIN_MS);
    this.#laterTimer.unref();
  }
}

/** A session whose queue never ends lets others have a place after this many runs. */
const MAX_RUNS_IN_A_ROW = 3;
const LOOK_AGAIN_MS = 1_000;
/** Timers cannot be set further ahead; then it is looked at again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function currentRunIdOf(session: Session | null): string | null {
  return session === null ? null : (currentRunOf(session)?.id ?? null);
}
