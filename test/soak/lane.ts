import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { HoldfastError, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import type { Settled } from "./load-messages.ts";
import { foldMessage, NOTHING_SEEN } from "./message-fold.ts";
import { readStamps, toPrompt, type Work } from "./soak-work.ts";

/** One in so many messages is sent again under its key. */
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
  /** How long an agent takes for an answer. */
  readonly answerMs: number;
  readonly tally: LaneTally;
  /** Everybody who is to watch a new session does. */
  readonly opened: (sessionId: string) => Promise<void>;
  /** Everybody has seen the end of a session. */
  readonly settled: (settled: Settled) => Promise<void>;
}

/** One session after the other, each with an agent of its own: filled, checked, deleted. */
export class Lane {
  readonly #options: LaneOptions;
  #session: LaneSession | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Until the signal, or for so long. Resolves when the session is checked and deleted. */
  async runSession({
    forMs,
    speaks,
    signal,
  }: {
    readonly forMs: number;
    readonly speaks: SpeakingPace | null;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { client, repoId, opened } = this.#options;
    const { id } = await client.sessions.create({ repoId });
    await opened(id);
    const session = new LaneSession(id, this.#options);
    this.#session = session;
    const over = AbortSignal.any([signal, AbortSignal.timeout(Math.round(forMs))]);
    if (speaks === null) await aborted(over);
    else await keepSpeaking(session, { pace: speaks, signal: over });
    this.#session = null;
    await session.finish();
  }

  /** How many messages have not been answered by the server yet. */
  get sending(): number {
    return this.#session?.sending ?? 0;
  }

  /** A message that is answered in one piece; false when there is no session now. */
  send(delivery: "queue" | "reject", dueMs: number): boolean {
    if (this.#session === null) return false;
    this.#session.send({ work: { count: 0, everyMs: this.#options.answerMs }, delivery, dueMs });
    return true;
  }
}

export interface SpeakingPace {
  readonly everyMs: number;
  /** How long each run speaks. */
  readonly runMs: number;
}

/** One run is on and one is waiting, so that there is no pause. */
async function keepSpeaking(
  session: LaneSession,
  { pace, signal }: { readonly pace: SpeakingPace; readonly signal: AbortSignal },
): Promise<void> {
  const work = { count: pace.runMs / pace.everyMs, everyMs: pace.everyMs };
  const speak = (): void => session.send({ work, delivery: "queue", dueMs: performance.now() });
  speak();
  while (!signal.aborted) {
    speak();
    await pause(pace.runMs, undefined, { signal }).catch(() => {});
  }
}

class LaneSession {
  readonly #id: string;
  readonly #options: LaneOptions;
  /** By the message's id, what it asked for. */
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
    const asked: Work = { ...work, tag: `${this.#id}/${number}` };
    const body = { text: toPrompt(asked), delivery };
    const options = { idempotencyKey: randomUUID() };
    try {
      const { message } = await client.sessions.send(this.#id, body, options);
      tally.onAcknowledged(performance.now() - dueMs);
      this.#acknowledged.set(message.id, asked);
      if (number % REPEAT_EVERY !== 0) return;
      const again = await client.sessions.send(this.#id, body, options);
      tally.onRepeated();
      if (again.message.id !== message.id)
        tally.onViolation(`the same key made ${message.id} and ${again.message.id}`);
    } catch (error) {
      if (error instanceof HoldfastError && error.status < 500) tally.onRefused(error.code);
      else tally.onViolation(`a message to ${this.#id} failed: ${String(error)}`);
    }
  }

  async finish(): Promise<void> {
    const { client, tally, settled } = this.#options;
    await Promise.all(this.#sending);
    const rested = await this.#atRest();
    if (rested === null)
      tally.onViolation(`${this.#id} has not come to rest within ${SETTLED_WITHIN_MS} ms`);
    const session = rested ?? (await client.sessions.get(this.#id));
    for (const text of this.#check(session)) tally.onViolation(`${this.#id}: ${text}`);
    const fold = session.messages.reduce(foldMessage, NOTHING_SEEN);
    await settled({ sessionId: this.#id, lastId: Number(session.lastEventId), fold });
    tally.onEnded(session.messages.length);
    await client.sessions.delete(this.#id);
  }

  /** The whole session, when nothing goes on in it any more. */
  async #atRest(): Promise<WholeSession | null> {
    const { client } = this.#options;
    const signal = AbortSignal.timeout(SETTLED_WITHIN_MS);
    try {
      for await (const { session } of client.sessions.follow(this.#id, { signal })) {
        if (!isAtRest(session)) continue;
        // Within a group of events it may seem so, and what led there may still be on its way.
        const whole = await client.sessions.get(this.#id, { signal });
        if (isAtRest(whole)) return whole;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return null;
  }

  /** Every acknowledged message is there once, and was answered once, with all that it asked for. */
  #check({ messages }: WholeSession): readonly string[] {
    const answers = new Map<string | null, string[]>();
    for (const { role, runId, content } of messages) {
      if (role !== "agent") continue;
      answers.set(runId, [...(answers.get(runId) ?? []), String(content["text"])]);
    }
    const said = messages.filter(({ role }) => role === "user");
    const counts = new Map<string, number>();
    for (const { id } of said) counts.set(id, (counts.get(id) ?? 0) + 1);
    const wrong = said.flatMap(({ id, runId }) => {
      const work = this.#acknowledged.get(id);
      if (work === undefined) return [`message ${id} was stored and not acknowledged`];
      const given = answers.get(runId) ?? [];
      return isAnswer(given, work) ? [] : [`message ${id} was answered by ${cut(given)}`];
    });
    const lost = [...this.#acknowledged.keys()].flatMap((id) =>
      counts.get(id) === 1
        ? []
        : [`acknowledged message ${id} is there ${counts.get(id) ?? 0} times`],
    );
    return [...lost, ...wrong];
  }
}

function isAtRest({ state, queued }: WholeSession): boolean {
  return state === "idle" && queued === 0;
}

interface SoakMessage {
  readonly work: Omit<Work, "tag">;
  readonly delivery: "queue" | "reject";
  /** When it should have been sent. */
  readonly dueMs: number;
}

function isAnswer(given: readonly string[], { tag, count }: Work): boolean {
  const [text, ...others] = given;
  if (text === undefined || others.length > 0) return false;
  if (count === 0) return text === `re ${tag}`;
  const stamps = readStamps(text);
  return stamps.length === count && stamps.every(({ number }, index) => number === index);
}

function cut(given: readonly string[]): string {
  return JSON.stringify(given).slice(0, 200);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
