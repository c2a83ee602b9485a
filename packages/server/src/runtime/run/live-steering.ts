import type { QueueEntry, SteerOutcome } from "../../domain/delivery.ts";
import { currentRunOf } from "../../domain/session.ts";
import type { Agent, AgentReport, ReportPlace } from "../../providers/provider.ts";
import type { RuntimeContext } from "../context.ts";
import { sleep } from "../sleep.ts";
import type { RunAtWork } from "./hand-over.ts";
import { partsOf } from "./run-prompt.ts";

export interface LiveSteeringOptions {
  readonly context: RuntimeContext;
  readonly atWork: RunAtWork;
  /** The agent that works on the prompt; null before and after. */
  readonly agent: () => Agent | null;
  /** The agent has taken the message, which is about to be stored: all output before it must be stored. */
  readonly onTaken: () => Promise<void>;
  /** Handles a report that was held back. */
  readonly take: (held: HeldReport) => unknown;
  readonly onFailure: (error: unknown) => void;
}

export interface HeldReport {
  readonly report: AgentReport;
  readonly place: ReportPlace | undefined;
}

/** Output that follows a message must not be stored before it. An agent that takes longer to reply is not held up. */
const HELD_MS = 500;
const MAX_HELD = 1_000;

/**
 * Gives the agent at work the messages that are to steer it, one after the other. Each is stored as `given` before the agent
 * gets it, and its outcome afterwards. If the outcome cannot be stored, the end of the run says that it is unknown.
 */
export class LiveSteering {
  readonly #options: LiveSteeringOptions;
  #delivery: Promise<void> | null = null;
  #isNudged = false;
  #held: HeldReport[] | null = null;

  constructor(options: LiveSteeringOptions) {
    this.#options = options;
  }

  get canSteer(): boolean {
    return this.#options.agent()?.steer !== undefined;
  }

  /** True if the report is handled later: after the message that is being given. */
  holds(report: HeldReport): boolean {
    if (this.#held === null) return false;
    if (this.#held.length < MAX_HELD) {
      this.#held.push(report);
      return true;
    }
    this.#release();
    return false;
  }

  /** Returns at once. */
  deliver(): void {
    this.#isNudged = true;
    this.#delivery ??= this.#deliverAll()
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#release();
        this.#delivery = null;
      });
  }

  /** Resolves when nothing is being given. */
  async settle(): Promise<void> {
    await this.#delivery;
  }

  async #deliverAll(): Promise<void> {
    while (this.#isNudged) {
      this.#isNudged = false;
      for (let next = await this.#next(); next !== null; next = await this.#next())
        if (!(await this.#give(next))) return;
    }
  }

  /** The oldest message that is to steer this run. */
  async #next(): Promise<QueueEntry | null> {
    const { context, atWork } = this.#options;
    const loaded = await context.store.load(atWork.sessionId);
    if (atWork.signal.aborted || loaded.found !== "session") return null;
    const { session } = loaded.stored;
    if (currentRunOf(session)?.id !== atWork.run.id) return null;
    return session.queue.find(({ steer }) => steer === "wanted") ?? null;
  }

  /** False if nothing more can be given: the run is over, or another node has it. */
  async #give({ messageId }: QueueEntry): Promise<boolean> {
    const { context, atWork, agent, onTaken } = this.#options;
    const queue = await context.store.readQueue(atWork.sessionId);
    const content = queue.find((each) => each.messageId === messageId)?.content;
    const live = agent();
    if (live?.steer === undefined || content === undefined) return this.#store(messageId, "queued");
    if (!(await this.#store(messageId, "given"))) return false;
    if (!context.cluster.holdsLease || atWork.signal.aborted) return false;
    this.#hold();
    const reply = await live.steer(partsOf(content), messageId);
    if (reply === "injected") await onTaken();
    const isStored = await this.#store(messageId, reply === "refused" ? "queued" : reply);
    this.#release();
    return isStored;
  }

  async #store(messageId: string, outcome: SteerOutcome): Promise<boolean> {
    const { context, atWork } = this.#options;
    const { sessionId, run, fence } = atWork;
    const stored = await context.execute({
      sessionId,
      command: { type: "steer-run", at: context.clock(), messageId, runId: run.id, outcome },
      extras: { fence },
    });
    return stored.ok;
  }

  #hold(): void {
    const held: HeldReport[] = [];
    this.#held = held;
    void sleep(HELD_MS).then(() => {
      if (this.#held === held) this.#release();
    });
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const report of held) this.#options.take(report);
  }
}
