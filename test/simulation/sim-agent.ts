import {
  AgentFault,
  type Agent,
  type AgentExit,
  type AgentReport,
  type PermissionAnswer,
  type Prompt,
  type PromptEnd,
  type Provider,
  type StartAgent,
  type SteerReply,
} from "../../packages/server/src/providers/provider.ts";
import type { Owner } from "./timeline.ts";
import { count, type AskedRecord, type PromptRecord, type World } from "./world.ts";

const PROVIDER = "sim";
/** The text of every message of a client. */
export const messageText = (tag: string): string => `do it\n#${tag}`;

/** A node needs a tenth of a second to notice that its lease is over, and then ends its agents: no agent starts faster. */
const START_MS = { least: 250, more: 600 };
/** Agents of a node that was paused may live on for so long after it. */
const ENDED_WITHIN_MS = 5_000;

type Step = "text" | "tool" | "permission" | "wants" | "fault" | "die" | "silence";

/** A kind of agent whose agents do anything that an agent may do, as the seed wants it. */
export function simProvider(world: World, owner: Owner): Provider {
  const { timeline, random } = world;
  return {
    name: PROVIDER,
    describe: async () => ({
      name: PROVIDER,
      title: "Simulated",
      installed: true,
      command: [],
      install: null,
      login: null,
      loginStatus: { state: "unknown", label: null },
      loginMethods: [],
      canLogOut: false,
      version: null,
      models: [],
      modes: [],
      commands: [],
      capabilities: null,
    }),
    startAgent: (request) =>
      new Promise((resolve, reject) => {
        const startMs = START_MS.least + random.below(START_MS.more);
        const isBad = world.hasFaults && random.chance(0.06);
        const isPassing = random.chance(0.7);
        timeline.after(startMs, () => {
          if (request.signal.aborted || isBad) {
            count(world, "failed start");
            const why = request.signal.aborted ? "The start was aborted." : "It did not start.";
            return reject(new AgentFault("agent_not_started", why, { isPassing }));
          }
          const agent = new SimAgent(world, owner, request, world.agents.length + 1);
          world.agents.push(agent);
          return resolve(agent);
        });
      }),
  };
}

export class SimAgent implements Agent {
  readonly provider = PROVIDER;
  readonly pid: number;
  readonly memory: "none" | "resumed";
  readonly supportsResume = true;
  readonly resumeData: string;
  readonly exited: Promise<AgentExit>;
  readonly sessionId: string;
  readonly owner: Owner;
  readonly steer?: NonNullable<Agent["steer"]>;
  readonly #world: World;
  readonly #request: StartAgent;
  readonly #exit = Promise.withResolvers<AgentExit>();
  readonly #waiting = new Map<string, (answer: PermissionAnswer) => void>();
  #isExited = false;
  /** Ends the current prompt. */
  #endPrompt: ((end: PromptEnd | AgentFault) => void) | null = null;
  /** The latest prompt. An earlier one that was cancelled says nothing more. */
  #latest: PromptRecord | null = null;

  constructor(world: World, owner: Owner, request: StartAgent, pid: number) {
    this.#world = world;
    this.#request = request;
    this.owner = owner;
    this.pid = pid;
    this.sessionId = request.sessionId;
    this.memory = request.resume === null ? "none" : "resumed";
    this.resumeData = `agent ${pid}`;
    this.exited = this.#exit.promise;
    if (world.steers) this.steer = (parts) => this.#steer(parts);
    world.timeline.note(`agent ${pid} started for ${this.sessionId}`);
  }

  get isGone(): boolean {
    return this.#isExited;
  }

  get isAlive(): boolean {
    return !this.#isExited && !this.owner.isDead;
  }

  prompt({ parts }: Prompt): Promise<PromptEnd> {
    const world = this.#world;
    const { timeline } = world;
    const tag = tagIn(parts);
    const others = world.agents.filter(
      (other) =>
        other !== this &&
        other.isAlive &&
        other.sessionId === this.sessionId &&
        other.owner.pausedUntil + ENDED_WITHIN_MS < timeline.now,
    );
    const record: PromptRecord = {
      sessionId: this.sessionId,
      tag,
      agent: this.pid,
      others: others.map(({ pid, owner }) => `${pid} of ${owner.name}`),
      said: "",
      isComplete: false,
    };
    world.prompts.push(record);
    if (world.plant?.repeatsPrompts === true) world.prompts.push({ ...record });
    timeline.note(`agent ${this.pid} gets ${tag ?? "answers"}`);
    return new Promise((resolve, reject) => {
      if (this.#isExited) return reject(exited());
      this.#endPrompt = (end) => {
        this.#endPrompt = null;
        timeline.note(
          `agent ${this.pid} ends: ${end instanceof Error ? end.code : end.stopReason}`,
        );
        if (end instanceof Error) reject(end);
        else resolve(end);
      };
      this.#latest = record;
      void this.#work(record);
      return undefined;
    });
  }

  answer(requestId: string, answer: PermissionAnswer): boolean {
    const waiting = this.#waiting.get(requestId);
    const asked = this.#world.asked.find((each) => each.requestId === requestId);
    asked?.told.push(answer.outcome === "selected" ? answer.optionId : answer.outcome);
    if (waiting === undefined || this.#isExited) return false;
    this.#waiting.delete(requestId);
    waiting(answer);
    return true;
  }

  async #steer(parts: Prompt["parts"]): Promise<SteerReply> {
    const { timeline, random, hasFaults, steered } = this.#world;
    await timeline.wait(random.below(100));
    if (this.#isExited) return "unknown";
    if (this.#endPrompt === null || random.chance(0.15)) return "refused";
    const tag = tagIn(parts) ?? "";
    count(this.#world, "steered");
    timeline.note(`agent ${this.pid} takes ${tag}`);
    steered.push({ sessionId: this.sessionId, tag });
    const chance = hasFaults ? random.next() : 1;
    if (chance < 0.1) this.kill();
    await timeline.wait(random.below(60));
    return chance < 0.2 ? "unknown" : "injected";
  }

  async cancel(): Promise<"settled" | "ignored"> {
    const { timeline, random, hasFaults } = this.#world;
    const isIgnored = hasFaults && random.chance(0.2);
    await timeline.wait(random.below(200));
    if (isIgnored) return "ignored";
    this.#endPrompt?.({ stopReason: "cancelled", usage: null });
    return "settled";
  }

  async stop(): Promise<void> {
    const { timeline, random } = this.#world;
    await timeline.wait(random.below(40));
    this.#die();
  }

  /** Without a word, as if it were killed. */
  kill(): void {
    count(this.#world, "agent killed");
    this.#die();
  }

  #die(): void {
    if (this.#isExited) return;
    this.#isExited = true;
    this.#world.timeline.note(`agent ${this.pid} is gone`);
    this.#endPrompt?.(exited());
    this.#exit.resolve({ code: null, signal: "SIGKILL", stderr: "" });
  }

  async #work(record: PromptRecord): Promise<void> {
    const { timeline, random } = this.#world;
    const steps = this.#plan();
    for (const step of steps) {
      await timeline.wait(random.below(300));
      if (this.#isOver(record)) return;
      await this.#do(step, record);
      if (this.#isOver(record)) return;
    }
    record.isComplete = true;
    this.#endPrompt?.({ stopReason: "end_turn", usage: null });
  }

  #isOver(record: PromptRecord): boolean {
    return this.#isExited || this.#endPrompt === null || this.#latest !== record;
  }

  #plan(): readonly Step[] {
    const { random, hasFaults } = this.#world;
    const usual = Array.from({ length: random.below(5) }, (): Step =>
      random.pick(["text", "text", "text", "tool", "permission"]),
    );
    const chance = hasFaults ? random.next() : 1;
    if (chance < 0.08) return [...usual, "die"];
    if (chance < 0.16) return [...usual, "fault"];
    if (chance < 0.18) return [...usual, "silence"];
    if (chance < 0.26) return [...usual, "wants"];
    return usual;
  }

  async #do(step: Step, record: PromptRecord): Promise<void> {
    const { random } = this.#world;
    const n = this.#world.prompts.length * 10 + random.below(10);
    switch (step) {
      case "text": {
        const text = `<${n}>`;
        record.said += text;
        return this.#report({ report: "text", voice: "answer", part: null, text });
      }
      case "tool": {
        const callId = `call-${this.pid}-${n}`;
        const content = { type: "tool", callId, title: "look", status: "completed" };
        await this.#report({ report: "tool", callId, content, ended: random.chance(0.8) });
        return undefined;
      }
      case "permission":
        return this.#ask(`ask-${this.pid}-${this.#world.asked.length}`);
      case "wants":
        return this.#report({
          report: "wants",
          kind: "question",
          callId: `want-${n}`,
          request: { title: "Which one?" },
        });
      case "fault":
        count(this.#world, "agent fault");
        this.#endPrompt?.(new AgentFault("agent_disconnected", "lost", { isPassing: true }));
        return undefined;
      case "die":
        return this.kill();
      case "silence":
        count(this.#world, "silent agent");
        await new Promise<never>(() => {});
        return undefined;
      default:
        return step satisfies never;
    }
  }

  async #ask(requestId: string): Promise<void> {
    const asked: AskedRecord = { sessionId: this.sessionId, requestId, told: [] };
    this.#world.asked.push(asked);
    const answered = new Promise<PermissionAnswer>((resolve) =>
      this.#waiting.set(requestId, resolve),
    );
    const options = [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ];
    const request = { title: requestId, toolCallId: null, kind: null, input: null, options };
    await this.#report({ report: "permission", requestId, request, fingerprint: requestId });
    await answered;
  }

  async #report(report: AgentReport): Promise<void> {
    await this.#request.onReport(report);
  }
}

function tagIn(parts: Prompt["parts"]): string | null {
  const tags = parts.flatMap(({ text }) =>
    typeof text === "string" ? (/^do it\n#(\S+)$/u.exec(text)?.[1] ?? []) : [],
  );
  return tags.at(-1) ?? null;
}

function exited(): AgentFault {
  return new AgentFault("agent_exited", "The agent exited.");
}
