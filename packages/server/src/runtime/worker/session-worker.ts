import type { Command } from "../../domain/kernel/command.ts";
import { chooseAgent } from "../../domain/choose-agent.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import type { CurrentRun } from "../../domain/run.ts";
import { currentRunOf, runIdOf, type Session } from "../../domain/session.ts";
import type { Fence, StoredSession } from "../../storage/store.ts";
import type { AgentEndReason } from "./agent-trail.ts";
import type { RuntimeContext } from "../context.ts";
import { cutOff, takeBack, type CutRun } from "../run/cut-run.ts";
import { delayUntil, expireSuspensions } from "./expire-suspensions.ts";
import type { LossReason } from "../cluster/node-lease.ts";
import { RunWork } from "../run/run-work.ts";
import { SessionAgent } from "./session-agent.ts";
import { SessionOwnership } from "./session-ownership.ts";

/**
 * Makes the world be as the stored session says. It looks at the session's duty whenever something
 * happened and does the next step; after a crash another worker begins with the same look.
 */
export class SessionWorker {
  readonly #context: RuntimeContext;
  readonly #sessionId: string;
  readonly #onRest: () => void;
  readonly #ownership: SessionOwnership;
  readonly #agent: SessionAgent;
  #work: RunWork | null = null;
  #settling: Promise<void> | null = null;
  #again = false;
  #idleTimer: NodeJS.Timeout | null = null;
  #laterTimer: NodeJS.Timeout | null = null;
  #runsInARow = 0;
  /** The run of a message that is stored as given to the agent, which gets it right after. */
  #givenAlong: string | null = null;
  #cut: CutRun | null = null;
  #isStopping = false;
  #isWanted = false;

  constructor(options: {
    readonly context: RuntimeContext;
    readonly sessionId: string;
    /** Nothing is going on any more; a later nudge may go to another worker. */
    readonly onRest: () => void;
  }) {
    this.#context = options.context;
    this.#sessionId = options.sessionId;
    this.#onRest = options.onRest;
    this.#ownership = new SessionOwnership(options.context, options.sessionId);
    this.#agent = new SessionAgent({
      context: options.context,
      onReport: (report) => this.#work?.attempt.report(report),
      onExit: () => this.nudge(),
    });
  }

  /** Something happened to the session, or may have; `isWanted` when this node was asked to take it up. */
  nudge({ isWanted = false }: { readonly isWanted?: boolean } = {}): void {
    if (this.#isStopping) return;
    this.#isWanted ||= isWanted;
    this.#again = true;
    this.#settling ??= this.#settleAll()
      .catch((error: unknown) => {
        const { log } = this.#context;
        log.error({ sessionId: this.#sessionId, err: error }, "a session could not be looked at");
        this.#laterAgain();
      })
      .finally(() => {
        this.#settling = null;
        this.#isWanted = false;
        if (this.#again && !this.#isStopping) this.nudge();
        else if (this.#isAtRest) this.#onRest();
      });
  }

  get hasAgent(): boolean {
    return this.#agent.live !== null;
  }

  /**
   * Lets the run of a message be stored as given to the agent together with the message, under the fence that is returned:
   * one sync of the disk instead of two. Null when no agent is there that has nothing to do.
   */
  giveAlong({
    runId,
    provider,
  }: {
    readonly runId: string;
    readonly provider: string;
  }): Fence | null {
    if (!this.#canGiveTo(provider)) return null;
    this.#givenAlong = runId;
    return this.#ownership.fence;
  }

  #canGiveTo(provider: string): boolean {
    const isFree = !this.#isStopping && this.#work === null && this.#ownership.fence !== null;
    return isFree && this.#agent.isReadyFor(provider);
  }

  /** Ends the agent to make its place free. The session loses nothing: what it waits for is stored. */
  async evict(reason: AgentEndReason = "evicted"): Promise<void> {
    this.#work?.leave();
    await this.#agent.stop(reason, { urgent: true });
    this.nudge();
  }

  /** The node is to have no work: an agent that has nothing to do is ended now, others when they are done. */
  drain(): void {
    if (this.#agent.live !== null && this.#work?.attempt.isWaiting !== false)
      void this.evict("drained");
    else this.nudge();
  }

  /** The server goes away: the session is stored as suspended, then its agent is made to end. */
  async shutDown(): Promise<void> {
    this.#isStopping = true;
    this.#clearTimers();
    const { clock, cluster, execute, log } = this.#context;
    const { fence } = this.#ownership;
    await this.#work?.settle();
    await execute({
      sessionId: this.#sessionId,
      // Others go on with what waits or rests; only what was at work is cut off.
      command: (session) => {
        const at = clock();
        const isCut = cluster.isAlone || (fence !== null && dutyOf(session).do === "drive");
        const back = this.#takenBack(session, at) ?? [];
        const suspend = { type: "suspend", at, cause: "shutdown" } as const;
        // The other nodes stay.
        const stay = cluster.isAlone ? [] : [{ type: "come-back", at, obstacle: null } as const];
        return isCut ? [back, suspend, ...stay].flat() : [];
      },
      ...(fence !== null && { extras: { fence } }),
    }).catch((err: unknown) => {
      log.error({ sessionId: this.#sessionId, err }, "a session could not be suspended");
    });
    this.#work?.leave();
    await this.#agent.stop("shutdown", { urgent: true });
    await Promise.allSettled([this.#settling, this.#work?.done]);
    // One that was just starting when it was told to go.
    await this.#agent.stop("shutdown", { urgent: true });
    if (cluster.isAlone) return;
    await this.#letGo();
    this.#ownership.callAnother((await this.#load())?.session ?? null);
  }

  /** The node's lease ran out, or the session was taken over: others may be at work on it, so nothing here may go on. */
  async giveUp(why?: LossReason): Promise<void> {
    const work = this.#work;
    if (work !== null && why !== undefined) this.#cut = { runId: work.runId, why };
    this.#ownership.fence = null;
    work?.leave();
    await this.#agent.stop(why === undefined ? "taken_over" : "lease_lost", { urgent: true });
    await work?.done;
    await this.#leaveAlone();
    this.nudge();
  }

  /** The session is another node's: no agent of it may be here, not even one that was just starting. */
  async #leaveAlone(): Promise<void> {
    await this.#agent.stop("taken_over", { urgent: true });
    this.#context.places.leave(this.#sessionId);
  }

  get #isAtRest(): boolean {
    return (
      this.#agent.live === null &&
      this.#work === null &&
      this.#laterTimer === null &&
      !this.#agent.isEnding &&
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
    const stored = await this.#load();
    const session = stored?.session ?? null;
    const duty = dutyOf(session);
    this.#clearTimers();
    if (!this.#context.cluster.holdsLease) return this.#laterAgain();
    this.#ownership.recognise(stored);
    if (this.#ownership.isLost(stored)) return this.giveUp();
    if (this.#ownership.isOthers(stored)) return this.#leaveAlone();
    if (this.#work !== null && this.#work.runId !== runIdOf(session)) {
      // Cancelled, interrupted or deleted: the log says so already, the agent learns it now.
      await this.#windDown(this.#work, { atOnce: duty.do === "clear" });
      this.#again = true;
      return;
    }
    switch (duty.do) {
      case "clear":
        await this.#agent.stop("session_closed", { urgent: true });
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

  async #load(): Promise<StoredSession | null> {
    const loaded = await this.#context.store.load(this.#sessionId);
    return loaded.found === "session" ? loaded.stored : null;
  }

  /** No place is free here: perhaps one is elsewhere. */
  #waitForPlace(session: Session): void {
    this.#context.places.wait(this.#sessionId);
    if (this.#ownership.fence === null) this.#ownership.callAnother(session);
  }

  /** Nothing is to be done now; an agent that lives may be ended when its time is up. */
  async #rest(use: "idle" | "waiting"): Promise<void> {
    if (this.#context.cluster.isDraining) await this.#agent.stop("drained");
    if (this.#agent.live === null) return this.#letGo();
    this.#context.places.use(this.#sessionId, use);
    this.#idleTimer = setTimeout(() => void this.#reap(), this.#context.limits.idleMs);
    this.#idleTimer.unref();
  }

  async #reap(): Promise<void> {
    if (this.#work !== null || this.#isStopping) return;
    await this.#agent.stop("idle");
    this.nudge();
  }

  /** Nothing of the session needs this process. */
  async #letGo(): Promise<void> {
    this.#context.places.leave(this.#sessionId);
    await this.#ownership.release();
  }

  async #start(runId: string, session: Session | null): Promise<void> {
    const { places } = this.#context;
    const entry = session?.queue[0];
    if (session === null || entry === undefined) return;
    if (!this.#ownership.mayBegin(session, { isWanted: this.#isWanted }))
      return this.#leaveToOthers(session);
    if (
      places.isAwaited &&
      places.holds(this.#sessionId) &&
      this.#runsInARow >= MAX_RUNS_IN_A_ROW
    ) {
      this.#runsInARow = 0;
      await this.#agent.stop("evicted");
      places.leave(this.#sessionId);
      return places.wait(this.#sessionId);
    }
    const place = places.take(this.#sessionId);
    if (place === null) return this.#waitForPlace(session);
    await place;
    this.#runsInARow += 1;
    const { clock, defaultProvider } = this.#context;
    const start = { ...chooseAgent(entry, { session, defaultProvider }), handed: false };
    await this.#command({ type: "start-run", at: clock(), runId, start }, session);
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
    const { fence: ours } = this.#ownership;
    if (handed && this.#givenAlong === runId && ours !== null && this.#canGiveTo(run.provider)) {
      this.#context.places.use(this.#sessionId, "busy");
      const unheard = { ...run, attempts: run.attempts - 1 };
      return this.#begin(session, { run: unheard, fence: ours, isGiven: true });
    }
    if (handed) {
      const at = this.#context.clock();
      const cut = this.#takenBack(session, at) ?? cutOff(runId, { at, cut: this.#cut });
      return this.#command(cut, session);
    }
    if (!this.#ownership.mayBegin(session, { isWanted: this.#isWanted }))
      return this.#leaveToOthers(session);
    const place = this.#context.places.take(this.#sessionId);
    if (place === null) return this.#waitForPlace(session);
    await place;
    const fence = await this.#claim(session);
    if (fence === null) return this.#letGo();
    this.#begin(session, { run, fence, isGiven: false });
  }

  async #leaveToOthers(session: Session): Promise<void> {
    await this.#agent.stop("drained");
    await this.#letGo();
    this.#ownership.callAnother(session);
  }

  /** A step of ours, under our fence. Once it is taken, the session is looked at again. */
  async #command(command: Command | readonly Command[], session: Session): Promise<void> {
    const fence = await this.#claim(session);
    if (fence === null) return this.#letGo();
    const sessionId = this.#sessionId;
    const executed = await this.#context.execute({ sessionId, command, extras: { fence } });
    if (executed.ok) this.#again = true;
    else if ("refused" in executed && executed.refused === "fenced") {
      // Another node took the session over: what lives of it here must not go on.
      this.#ownership.fence = null;
      await this.#agent.stop("taken_over", { urgent: true });
      await this.#letGo();
      // Unless it was let go of again: then it is for whoever claims it.
      this.#again = true;
    }
  }

  /** For a run that was stored as given, and whose agent was gone before it got it. */
  #takenBack(session: Session | null, at: number): Command | null {
    return takeBack(session, { at, given: this.#work === null ? this.#givenAlong : null });
  }

  #begin(
    session: Session,
    { run, fence, isGiven }: { run: CurrentRun; fence: Fence; isGiven: boolean },
  ): void {
    const work = new RunWork({
      context: this.#context,
      session,
      run,
      fence,
      isGiven,
      agentFor: (_, signal) => this.#agent.forRun(run, { session, fence, signal }),
      stopAgent: () => this.#agent.stop("run_failed", { urgent: true }),
      onWaiting: () => this.nudge(),
    });
    this.#work = work;
    this.#givenAlong = null;
    void work.done.then(() => {
      if (this.#work === work) this.#work = null;
      this.#cut = work.cut ?? this.#cut;
      this.nudge();
    });
  }

  async #windDown(work: RunWork, { atOnce }: { readonly atOnce: boolean }): Promise<void> {
    work.leave();
    const { live } = this.#agent;
    const mustStop = atOnce || (live !== null && (await live.agent.cancel()) === "ignored");
    if (mustStop)
      await this.#agent.stop(atOnce ? "session_closed" : "run_cancelled", { urgent: true });
    await work.done;
  }

  async #claim(session: Session | null): Promise<Fence | null> {
    const claimed = await this.#ownership.claim();
    if (claimed !== "full") return claimed;
    // An agent somewhere that has nothing to do makes room, here at best.
    if (!this.#context.places.freeIdle()) this.#ownership.callAnother(session);
    this.#laterAgain();
    return null;
  }

  #expireAt(until: number | null): void {
    if (until === null) return;
    const delayMs = delayUntil(until, this.#context.clock());
    const expire = (): unknown =>
      expireSuspensions(this.#context, this.#sessionId).finally(() => this.nudge());
    this.#laterTimer = setTimeout(expire, delayMs).unref();
  }

  #clearTimers(): void {
    for (const timer of [this.#idleTimer, this.#laterTimer]) clearTimeout(timer ?? undefined);
    this.#idleTimer = null;
    this.#laterTimer = null;
  }

  /** The database failed: it is looked at again when that may have passed. Once, and by whoever sees to the session then. */
  #laterAgain(): void {
    this.#clearTimers();
    const { nudge } = this.#context;
    this.#laterTimer = setTimeout(() => nudge(this.#sessionId), LOOK_AGAIN_MS).unref();
  }
}

/** A session whose queue never ends lets others have a place after this many runs. */
const MAX_RUNS_IN_A_ROW = 3;
const LOOK_AGAIN_MS = 1_000;
