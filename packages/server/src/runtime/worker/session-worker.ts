import type { Command } from "../../domain/kernel/command.ts";
import type { AgentOffer } from "../../domain/settings/agent-offer.ts";
import type { Session } from "../../domain/session.ts";
import type { Fence } from "../../storage/store.ts";
import type { AgentEndReason } from "./agent-trail.ts";
import type { AgentReservation, ReservedRun, RuntimeContext } from "../context.ts";
import type { LossReason } from "../cluster/node-lease.ts";
import { cutOff, storeSuspended } from "../run/cut-run.ts";
import { beforeHandOver, startRun, takeBack } from "../run/hand-over.ts";
import { RunWork, type RunWorkOptions } from "../run/run-work.ts";
import { takeUpFound } from "../take-up/take-up-found.ts";
import { CHANGED, joinRound, openRound, type Nudge, type Round } from "./look-round.ts";
import { LookTimers } from "./look-timers.ts";
import { SessionAgent } from "./session-agent.ts";
import { SessionOwnership } from "./session-ownership.ts";
import { surroundings } from "./surroundings.ts";
import { warmUp } from "./warm-up.ts";
import {
  canBegin,
  FREE,
  isStopping,
  nextStep,
  transition,
  workOf,
  type Step,
  type StepTo,
  type WorkerEvent,
  type WorkerState,
} from "./worker-state.ts";

type RunStep = Pick<StepTo<"work", RunWork>, "session" | "run">;
type BeginOptions = Pick<RunWorkOptions, "isHanded"> & Partial<Pick<RunWorkOptions, "takenUp">>;

/**
 * Brings an agent into line with the stored session. After each nudge it reads the session, asks `nextStep` and carries
 * the step out. After a crash another worker begins in the same way.
 */
export class SessionWorker {
  readonly #context: RuntimeContext;
  readonly #sessionId: string;
  readonly #onRest: () => void;
  readonly ownership: SessionOwnership;
  readonly #agent: SessionAgent;
  #state: WorkerState<RunWork> = FREE;
  #round: Round | null = null;
  /** The files before the run for which the agent was reserved last. */
  #files: { readonly runId: string; readonly before: RunWorkOptions["filesBefore"] } | undefined;
  readonly #timers: LookTimers;

  constructor(options: {
    readonly context: RuntimeContext;
    readonly sessionId: string;
    /** Nothing is under way. The worker may be dropped; a later nudge may go to another one. */
    readonly onRest: () => void;
  }) {
    this.#context = options.context;
    this.#sessionId = options.sessionId;
    this.#onRest = options.onRest;
    this.#timers = new LookTimers(options.context, options.sessionId);
    this.ownership = new SessionOwnership(options.context, options.sessionId);
    this.#agent = new SessionAgent({
      context: options.context,
      sessionId: options.sessionId,
      onReport: (report, place) =>
        this.#agent.report(report, place, workOf(this.#state), this.ownership.fence),
      onExit: () => this.nudge(CHANGED),
    });
  }

  /** What the agent offers; null if it is not of this provider, or there is none. */
  offerOf(provider: string): AgentOffer | null {
    return this.#agent.offerOf(provider);
  }

  #on(event: WorkerEvent<RunWork>): void {
    this.#state = transition(this.#state, event);
  }

  /** The session may have changed. */
  nudge(nudge: Nudge = {}): void {
    if (nudge.hasChanged === true) this.ownership.forget();
    if (isStopping(this.#state)) return;
    if (this.#round !== null) return joinRound(this.#round, nudge);
    const round = openRound(nudge);
    this.#round = round;
    round.done = this.#lookWhileNudged(round);
  }

  get hasAgent(): boolean {
    return this.#agent.live !== null;
  }

  /** Null when no agent is at work here. */
  get canSteer(): boolean | null {
    return workOf(this.#state)?.attempt.steering.canSteer ?? null;
  }

  readonly retireAgent = (): void => this.#agent.retire();

  /** Keeps the idle agent for a run that is stored as handed over to it. Null when no agent is idle. */
  reserveAgent({ runId, provider }: ReservedRun): AgentReservation | null {
    const { fence } = this.ownership;
    const isFree = this.#state.is === "free" && this.#agent.isReadyFor(provider);
    if (fence === null || !isFree) return null;
    this.#on({ type: "reserve", runId });
    // Their files are looked at while the message is being stored.
    const session = this.ownership.known?.session;
    this.#files = session && { runId, before: this.#context.files.before(session, { id: runId }) };
    return { fence, endCommit: () => this.#on({ type: "end-commit", runId }) };
  }

  /** Ends the agent to free its slot. The session loses nothing: its open questions are stored. */
  async evict(reason: AgentEndReason = "evicted"): Promise<void> {
    this.#leaveWork();
    await this.#agent.stop(reason, { urgent: true });
    this.nudge();
  }

  /** The node takes no more work. An agent that is idle or waits is ended now, a busy one after its run. */
  drain(): void {
    const work = workOf(this.#state);
    const isBusy = work !== null && !work.attempt.isWaiting;
    if (this.#agent.live !== null && !isBusy) void this.evict("drained");
    else this.nudge();
  }

  /** The server stops: the session is stored as suspended, then its agent is ended. */
  async shutDown(): Promise<void> {
    this.#on({ type: "stop" });
    this.#timers.clear();
    const work = workOf(this.#state);
    await work?.settle();
    const reservedRunId = this.#state.is === "stopping" ? this.#state.reservedRunId : null;
    await storeSuspended(this.#context, this.#sessionId, this.ownership.fence, reservedRunId);
    work?.leave();
    await this.#agent.stop("shutdown", { urgent: true });
    await Promise.allSettled([this.#round?.done, work?.done]);
    // The agent may just have been started.
    await this.#agent.stop("shutdown", { urgent: true });
    this.#on({ type: "end-stop" });
    this.#agent.forgetEnded();
    if (this.#context.cluster.isAlone) return;
    await this.#letGo();
    this.ownership.callAnother((await this.ownership.read())?.session ?? null);
  }

  /** The server ends, and another one goes on with the agent, if that is possible. */
  async detach(): Promise<void> {
    if (this.#agent.live?.agent.outlives !== true) return this.shutDown();
    this.#on({ type: "stop" });
    this.#timers.clear();
    const work = workOf(this.#state);
    await work?.settle();
    await this.#agent.settle();
    work?.leave();
  }

  /** The node's lease ran out, or another node took the session over and may work on it: all work here ends. */
  async giveUp(why: LossReason | null = null): Promise<void> {
    const work = workOf(this.#state);
    this.ownership.fence = null;
    this.#leaveWork(why);
    await this.#agent.stop(why === null ? "taken_over" : "lease_lost", { urgent: true });
    await work?.done;
    await this.#leaveAlone();
    this.nudge();
  }

  #leaveWork(why: LossReason | null = null): void {
    workOf(this.#state)?.leave();
    this.#on({ type: "leave-work", why });
  }

  async #lookWhileNudged(round: Round): Promise<void> {
    try {
      while (round.isNudged && !isStopping(this.#state)) {
        round.isNudged = false;
        await this.#look(round);
      }
    } catch (err) {
      this.#context.log.error(
        { sessionId: this.#sessionId, err },
        "a session could not be looked at",
      );
      this.#timers.lookLater();
    }
    this.#round = null;
    if (round.isNudged) return this.nudge();
    const hasAgent = this.#agent.live !== null || this.#agent.isEnding;
    if (this.#state.is === "free") this.#agent.forgetEnded();
    if (this.#state.is === "free" && !hasAgent && this.#timers.isEmpty) this.#onRest();
  }

  async #look(round: Round): Promise<void> {
    const work = workOf(this.#state);
    this.#on({ type: "begin-look" });
    const stored = this.ownership.known ?? (await this.ownership.read());
    // What was read may be older than the end of the work, which asked for another look.
    if (workOf(this.#state) !== work) return;
    const session = stored?.session ?? null;
    this.#on({ type: "end-look", session });
    this.#timers.clear();
    const [context, ownership, agent] = [this.#context, this.ownership, this.#agent];
    const around = surroundings(stored, { context, ownership, agent, isWanted: round.isWanted });
    const step = nextStep(this.#state, session, around);
    await this.#carryOut(step, session, round);
  }

  async #carryOut(step: Step<RunWork>, session: Session | null, round: Round): Promise<void> {
    const { slots, clock, files } = this.#context;
    const at = clock();
    switch (step.do) {
      case "nothing":
        return;
      case "look-later":
        return this.#timers.lookLater();
      case "give-up":
        return this.giveUp();
      case "leave-alone":
        return this.#leaveAlone();
      case "clear":
        await this.#agent.stop("session_closed", { urgent: true });
        await this.#letGo();
        return step.isDeleted ? this.#context.forgetSession(this.#sessionId) : undefined;
      case "rest":
        this.#timers.expireAt(step.until, () => this.nudge());
        if (step.use === "idle" && round.warmUp !== null) await this.#warmUp(round.warmUp);
        round.warmUp = null;
        await this.#rest(step.use);
        return step.use === "idle" ? this.#agent.applyKept(session) : undefined;
      case "continue":
        if (step.isBusy) slots.use(this.#sessionId, "busy");
        await step.work.attempt.deliverAnswers();
        step.work.attempt.steering.deliver();
        return this.#timers.expireAt(step.until, () => this.nudge());
      case "take-up":
        return this.#takeUp(step);
      case "drop-steering":
        return this.#command(step.session, { type: step.do, at, runId: step.run.id });
      case "wind-down":
        return this.#windDown(step);
      case "leave-to-others":
        await this.#agent.stop("drained");
        await this.#letGo();
        return this.ownership.callAnother(step.session);
      case "yield-slot":
        await this.#agent.stop("evicted");
        slots.leave(this.#sessionId);
        return slots.wait(this.#sessionId);
      case "restore":
        if ((await this.#own(step.session)) === null) return;
        await this.#agent.stop("rewound");
        return this.#command(step.session, await files.carryOut(step.session, step.rewind));
      case "start-run":
        if (!(await this.#takeSlot(step.session))) return;
        slots.countRun(this.#sessionId);
        return this.#command(step.session, startRun(this.#context, step.session, step.entry));
      case "work":
        if (!(await this.#takeSlot(step.session))) return;
        if ((await this.#own(step.session)) === null) return;
        return this.#begin(step, { isHanded: false });
      case "hand-over":
        slots.use(this.#sessionId, "busy");
        return this.#begin({ ...step, run: beforeHandOver(step.run) }, { isHanded: true });
      case "take-back":
        return this.#command(step.session, takeBack(step.session, at, step.run.id));
      case "cut-off":
        return this.#command(step.session, cutOff(step.run.id, { at, cut: step.cut }));
      default:
        return step satisfies never;
    }
  }

  async #takeUp({ session }: StepTo<"take-up", RunWork>): Promise<void> {
    const canWork = async (): Promise<boolean> =>
      session !== null && (await this.#own(session)) !== null && this.#takeSlot(session);
    const taken = await takeUpFound(this.#context, this.#agent, this.#sessionId, canWork);
    if (taken.is === "work") return this.#begin(taken, { ...taken, isHanded: true });
    // The agent has not got the message that is stored as handed over to it.
    if (taken.is === "idle" && taken.run !== null) {
      this.#on({ type: "reserve", runId: taken.run.id });
      this.#on({ type: "end-commit", runId: taken.run.id });
    }
    if (taken.is !== "later") this.nudge();
  }

  /** Another node owns the session: no agent of it may be here, not even one that was just starting. */
  async #leaveAlone(): Promise<void> {
    const found = this.#context.found.of(this.#sessionId);
    if (found !== null) await this.#context.found.end(found);
    await this.#agent.stop("taken_over", { urgent: true });
    this.#context.slots.leave(this.#sessionId);
  }

  /** False when no slot is free here; then another node may have one, or this one offers one later. */
  async #takeSlot(session: Session): Promise<boolean> {
    const { slots } = this.#context;
    const slot = slots.take(this.#sessionId);
    if (slot === null) {
      slots.wait(this.#sessionId);
      if (this.ownership.fence === null) this.ownership.callAnother(session);
      return false;
    }
    await slot;
    return true;
  }

  #warmUp(runId: string): Promise<void> {
    return warmUp(this.#context, { runId, ownership: this.ownership, agent: this.#agent });
  }

  async #rest(use: "idle" | "waiting"): Promise<void> {
    if (this.#context.cluster.isDraining) await this.#agent.stop("drained");
    if (this.#agent.live === null) return this.#letGo();
    this.#context.slots.use(this.#sessionId, use);
    this.#timers.after(this.#context.limits.idleMs, () => {
      if (this.#state.is === "free") void this.#agent.stop("idle").then(() => this.nudge());
    });
  }

  /** Gives up the slot and the ownership: the session needs nothing of this process. */
  async #letGo(): Promise<void> {
    this.#context.slots.leave(this.#sessionId);
    await this.ownership.release();
  }

  /** Stores commands under our fence. Afterwards the session is looked at again. */
  async #command(session: Session, command: Command | readonly Command[]): Promise<void> {
    const fence = await this.#own(session);
    if (fence === null) return;
    const done = await this.#context.execute({ sessionId: session.id, command, extras: { fence } });
    if (done.ok) return this.nudge();
    // The session has changed since it was read, such as a message that was withdrawn from the queue.
    if (!("refused" in done) || done.refused !== "fenced") return this.#timers.lookLater();
    // Another node took the session over. It may have released it since, so look again.
    this.ownership.fence = null;
    await this.#agent.stop("taken_over", { urgent: true });
    await this.#letGo();
    this.nudge();
  }

  #begin({ session, run }: RunStep, { isHanded, takenUp = null }: BeginOptions): void {
    const { fence } = this.ownership;
    // The worker may have been stopped, or the agent reserved, since the step was chosen.
    if (fence === null || !canBegin(this.#state, run.id)) return;
    const work = new RunWork({
      context: this.#context,
      session,
      run,
      fence,
      isHanded,
      takenUp,
      findAgent: (of, signal) => this.#agent.forRun(run, { session: of, fence, signal }),
      stopAgent: () => this.#agent.stop("run_failed", { urgent: true }),
      onWaiting: () => this.nudge(),
      message: this.ownership.messageOf(run),
      filesBefore: this.#files?.runId === run.id ? this.#files.before : null,
    });
    this.#on({ type: "begin-work", work });
    void work.done.then(() => {
      this.#on({ type: "end-work", work, cut: work.cut });
      this.nudge();
    });
  }

  /** The run was cancelled, interrupted or deleted. That is stored already; now the agent is told. */
  async #windDown({ work, atOnce }: StepTo<"wind-down", RunWork>): Promise<void> {
    this.#leaveWork();
    const { live } = this.#agent;
    this.#context.failpoint("cancel.telling");
    if (atOnce) await this.#agent.stop("session_closed", { urgent: true });
    else if (live !== null && (await live.agent.cancel()) === "ignored")
      await this.#agent.stop("run_cancelled", { urgent: true });
    await work.done;
    void this.#context.files.recordAfter(this.#sessionId, work.runId);
    this.nudge();
  }

  /** The fence if this node owned the session when it was read. Otherwise claims it, and another look follows. */
  async #own(session: Session): Promise<Fence | null> {
    const { fence } = this.ownership;
    if (fence !== null) return fence;
    const claimed = await this.ownership.claim();
    if (claimed === "full") {
      // An idle agent makes room, on this node if it has one.
      if (!this.#context.slots.freeIdle()) this.ownership.callAnother(session);
      this.#timers.lookLater();
    }
    // What was read before the claim may be older than the last work of the former owner.
    if (claimed === "full" || claimed === null) await this.#letGo();
    else this.nudge();
    return null;
  }
}
