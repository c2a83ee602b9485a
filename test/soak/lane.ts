import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { HoldfastError, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import type { Settled } from "./load-messages.ts";
import { foldMessage, NOTHING_SEEN } from "./message-fold.ts";
import { readStamps, toPrompt, type Work } from "./soak-work.ts";

/** Every 20th message is sent again with its idempotency key. */
const REPEAT_EVERY = 20;
const SETTLED_WITHIN_MS = 120_000;

export interface LaneTally {
  onAcknowledged(ms: number): void;
  onRefused(code: string): void;
  onRepeated(): void;
  onEnded(messages: number): void;
  onViolation(text: string): void;
}

export interface LaneOptions {
  readonly client: Client;
  readonly repoId: string;
  /** How long an agent takes to answer. */
  readonly answerMs: number;
  readonly tally: LaneTally;
  /** Resolves when all clients of a new session are connected. */
  readonly opened: (sessionId: string) => Promise<void>;
  /** Resolves when all clients have seen the end of a session. */
  readonly settled: (settled: Settled) => Promise<void>;
}

/** Runs one session after another, each with its own agent: fills it, checks it, deletes it. */
export class Lane {
  readonly #options: LaneOptions;
  #session: LaneSession | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Runs a session until the signal or for this time. Resolves when it is checked and deleted. */
  async runSession({
    forMs,
    pace,
    signal,
  }: {
    readonly forMs: number;
    readonly pace: StreamingPace | null;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { client, repoId, opened } = this.#options;
    const { id } = await client.sessions.create({ repoId });
    await opened(id);
    const session = new LaneSession(id, this.#options);
    this.#session = session;
    const over = AbortSignal.any([signal, AbortSignal.timeout(Math.round(forMs))]);
    if (pace === null) await aborted(over);
    else await keepStreaming(session, { pace, signal: over });
    this.#session = null;
    await session.finish();
  }

  /** Number of messages without a response. */
  get sending(): number {
    return this.#session?.sending ?? 0;
  }

  /** Sends a message that the agent answers in one piece. Returns false if there is no session. */
  send(delivery: "queue" | "reject", dueMs: number): boolean {
    if (this.#session === null) return false;
    this.#session.send({ work: { count: 0, everyMs: this.#options.answerMs }, delivery, dueMs });
    return true;
  }
}

export interface StreamingPace {
  readonly everyMs: number;
  /** How long each run streams. */
  readonly runMs: number;
}

/** Keeps one run active and one queued, so that there is no pause. */
async function keepStreaming(
  session: LaneSession,
  { pace, signal }: { readonly pace: StreamingPace; readonly signal: AbortSignal },
): Promise<void> {
  const work = { count: Math.round(pace.runMs / pace.everyMs), everyMs: pace.everyMs };
  const sendRun = (): void => session.send({ work, delivery: "queue", dueMs: performance.now() });
  sendRun();
  while (!signal.aborted) {
    sendRun();
    await pause(pace.runMs, undefined, { signal }).catch(() => {});
  }
}

class LaneSession {
  readonly #id: string;
  readonly #options: LaneOptions;
  /** The requested work by message ID. */
  readonly #acknowledged = new Map<string, Work>();
  readonly #sending = new Set<Promise<void>>();
  #sent = 0;

  constructor(id: string, options: LaneOptions) {
    this.#id = id;
    this.#options = options;
  }

  get sending(): number {
    return this.#sending.size;
  }

  send(message: SoakMessage): void {
    const sending = this.#send(message).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #send({ work, delivery, dueMs }: SoakMessage): Promise<void> {
    const { client, tally } = this.#options;
    const number = (this.#sent += 1);
    const taggedWork: Work = { ...work, tag: `${this.#id}/${number}` };
    const body = { text: toPrompt(taggedWork), delivery };
    const options = { idempotencyKey: randomUUID() };
    try {
      const { message } = await client.sessions.send(this.#id, body, options);
      tally.onAcknowledged(performance.now() - dueMs);
      this.#acknowledged.set(message.id, taggedWork);
      if (number % REPEAT_EVERY !== 0) return;
      const again = await client.sessions.send(this.#id, body, options);
      tally.onRepeated();
      if (again.message.id !== message.id)
        tally.onViolation(`the same key created ${message.id} and ${again.message.id}`);
    } catch (error) {
      if (error instanceof HoldfastError && error.status < 500) tally.onRefused(error.code);
      else tally.onViolation(`a message to ${this.#id} failed: ${String(error)}`);
    }
  }

  async finish(): Promise<void> {
    const { client, tally, settled } = this.#options;
    await Promise.all(this.#sending);
    const idle = await this.#untilIdle();
    if (idle === null)
      tally.onViolation(`${this.#id} did not become idle within ${SETTLED_WITHIN_MS} ms`);
    const session = idle ?? (await client.sessions.get(this.#id));
    for (const text of this.#check(session)) tally.onViolation(`${this.#id}: ${text}`);
    const fold = session.messages.reduce(foldMessage, NOTHING_SEEN);
    await settled({ sessionId: this.#id, lastId: Number(session.lastEventId), fold });
    tally.onEnded(session.messages.length);
    await client.sessions.delete(this.#id);
  }

  /** Waits until the session is idle, and returns it. */
  async #untilIdle(): Promise<WholeSession | null> {
    const { client } = this.#options;
    const signal = AbortSignal.timeout(SETTLED_WITHIN_MS);
    try {
      for await (const { session } of client.sessions.follow(this.#id, { signal })) {
        if (!isIdle(session)) continue;
        // Within a group of events the state may be temporary, so the session is read again.
        const whole = await client.sessions.get(this.#id, { signal });
        if (isIdle(whole)) return whole;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return null;
  }

  /** Checks that every acknowledged message is stored once and was answered once, completely. */
  #check({ messages }: WholeSession): readonly string[] {
    const answers = new Map<string | null, string[]>();
    for (const { role, runId, content } of messages) {
      if (role !== "agent") continue;
      answers.set(runId, [...(answers.get(runId) ?? []), String(content["text"])]);
    }
    const userMessages = messages.filter(({ role }) => role === "user");
    const counts = new Map<string, number>();
    for (const { id } of userMessages) counts.set(id, (counts.get(id) ?? 0) + 1);
    const wrong = userMessages.flatMap(({ id, runId }) => {
      const work = this.#acknowledged.get(id);
      if (work === undefined) return [`message ${id} was stored but not acknowledged`];
      const texts = answers.get(runId) ?? [];
      return isAnswer(texts, work) ? [] : [`message ${id} was answered by ${shorten(texts)}`];
    });
    const lost = [...this.#acknowledged.keys()].flatMap((id) =>
      counts.get(id) === 1
        ? []
        : [`acknowledged message ${id} is stored ${counts.get(id) ?? 0} times`],
    );
    return [...lost, ...wrong];
  }
}

function isIdle({ state, queued }: WholeSession): boolean {
  return state === "idle" && queued === 0;
}

interface SoakMessage {
  readonly work: Omit<Work, "tag">;
  readonly delivery: "queue" | "reject";
  /** When it should have been sent. */
  readonly dueMs: number;
}

function isAnswer(texts: readonly string[], { tag, count }: Work): boolean {
  const [text, ...others] = texts;
  if (text === undefined || others.length > 0) return false;
  if (count === 0) return text === `re ${tag}`;
  const stamps = readStamps(text);
  return stamps.length === count && stamps.every(({ number }, index) => number === index);
}

function shorten(texts: readonly string[]): string {
  return JSON.stringify(texts).slice(0, 200);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
