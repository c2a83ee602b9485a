import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { authorOf, type WholeSession } from "../../packages/protocol/src/index.ts";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import {
  ask,
  elicit,
  flood,
  form,
  ignore,
  mcp,
  meanwhile,
  say,
  script,
  tool,
  waitFor,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import type { JsonObject } from "../../packages/server/src/domain/json.ts";
import type { History } from "../cluster/history.ts";
import { sendUntilAcknowledged, type SentMessage } from "../cluster/load.ts";
import { openWatcher, type Watcher } from "../cluster/watcher.ts";
import type { CrashRig } from "./crash-rig.ts";
import type { SessionMoment } from "./matrix.ts";
import { MISBEHAVED, type Misbehaviour } from "./misbehaviours.ts";
import { BEARER } from "../../packages/server/src/http/testing/server-token.ts";

const PLACED_WITHIN_MS = 60_000;
const POLL_MS = 30;
const RETRY_MS = 100;
const GIVE_UP_MS = 12_000;
const MISBEHAVED_WITHIN_MS = 5_000;

const ANSWERS: Readonly<Record<string, JsonObject | string>> = {
  permission: "allow",
  elicitation: { action: "accept", content: { name: "Ada" } },
};

export interface Placement {
  readonly history: History;
  readonly moment: SessionMoment;
  /** Misbehaviour of its agent, on command during the moment. */
  readonly misbehaviour: Misbehaviour | null;
}

/** A session that is brought into a moment and continues after the fault. */
export class PlacedSession {
  readonly id: string;
  readonly repo: string;
  readonly moment: SessionMoment;
  readonly watcher: Watcher;
  readonly misbehaviour: Misbehaviour | null;
  readonly #rig: CrashRig;
  readonly #history: History;
  #sent = 0;
  readonly #sending = new Set<Promise<unknown>>();
  readonly #acknowledged = new Set<string>();
  #next: Promise<unknown> | null = null;
  #cancelled: Promise<void> = Promise.resolve();
  #afterwards: string | null = null;

  static async open(
    rig: CrashRig,
    { history, moment, misbehaviour }: Placement,
  ): Promise<PlacedSession> {
    const defaultProvider = moment === "waiting for an event" ? "tooled" : "scripted";
    const { id, repo } = await rig.createSession(misbehaviour?.provider ?? defaultProvider);
    const watcher = await openWatcher(history, { client: repo, sessionId: id, choose: () => rig });
    return new PlacedSession(rig, { history, moment, misbehaviour, id, repo, watcher });
  }

  private constructor(
    rig: CrashRig,
    options: Placement & Pick<PlacedSession, "id" | "repo" | "watcher">,
  ) {
    this.#rig = rig;
    this.#history = options.history;
    this.id = options.id;
    this.repo = options.repo;
    this.moment = options.moment;
    this.misbehaviour = options.misbehaviour;
    this.watcher = options.watcher;
  }

  /** The session as the watching client knows it. */
  get observed(): WholeSession {
    return this.watcher.view.session;
  }

  /** Whether the session is in its moment, as far as a client can tell. */
  get isInMoment(): boolean {
    const { state, messages, queued, suspension } = this.observed;
    const last = messages.findLast((message) => authorOf(message) === "agent");
    switch (this.moment) {
      case "idle":
        return state === "idle" && last?.complete === true;
      case "starting":
        return last === undefined;
      case "streaming":
        return state === "running" && last?.complete === false;
      case "in a tool":
        return state === "running" && last?.content["type"] === "tool";
      case "waiting for permission":
        return suspension?.kind === "permission";
      case "waiting for a form":
        return suspension?.kind === "elicitation";
      case "waiting for an event":
        return suspension?.kind === "event";
      case "queued":
        return state === "running" && queued === 2;
      case "cancelling":
        return last !== undefined;
      default:
        return this.moment satisfies never;
    }
  }

  /** Whether the moment takes long to reach and then lasts until `proceed`. */
  get isLasting(): boolean {
    return this.moment !== "starting" && this.moment !== "streaming";
  }

  async place(): Promise<void> {
    const [first = [], ...others] = this.#steps();
    for (const steps of [[...this.#misbehaviourSteps(), ...first], ...others])
      await this.#send(...steps);
    if (this.moment === "starting") return;
    const isOver = calmDeadline(PLACED_WITHIN_MS);
    while (!this.isInMoment) {
      if (isOver()) throw new Error(await this.#whyNotInMoment());
      await pause(POLL_MS);
    }
  }

  /** Starts what belongs to the moment and must not be awaited. */
  nudge(): void {
    if (this.moment === "cancelling") this.#cancelled = this.#cancelOnce().catch(() => {});
  }

  /** Lets the session continue. May be called again if the server was down, because every step is repeatable. */
  async proceed(): Promise<void> {
    switch (this.moment) {
      case "idle":
        return void (await (this.#next ??= this.#send(say("more"))));
      case "starting":
      case "streaming":
        return;
      case "in a tool":
      case "queued":
        return writeFileSync(this.#gate, "");
      case "waiting for permission":
      case "waiting for a form":
      case "waiting for an event":
        return this.answerAll();
      case "cancelling":
        writeFileSync(this.#gate, "");
        await this.#cancelled;
        return this.#retry(() => this.#cancelOnce());
      default:
        return this.moment satisfies never;
    }
  }

  /** Resolves when every sent message is acknowledged. */
  async allAcknowledged(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** Whether every message has been processed, as the watching client knows it. */
  get isDone(): boolean {
    const { state, queued, messages } = this.observed;
    const ids = new Set(messages.map(({ id }) => id));
    return state === "idle" && queued === 0 && [...this.#acknowledged].every((id) => ids.has(id));
  }

  /** Another message. */
  async sendMore(): Promise<void> {
    await this.#send(flood({ perSecond: 60, seconds: 0.3, text: "more " }));
  }

  /** Sends a message after the fault. The agent, or the next one, must process it normally. */
  async sendAfterwards(): Promise<void> {
    const sent = await this.#send(say("well"));
    this.#afterwards = sent?.messageId ?? null;
  }

  /** ID of the message of `sendAfterwards`. */
  get afterwards(): string | null {
    return this.#afterwards;
  }

  /** Commands the agent to misbehave. */
  misbehave(): void {
    writeFileSync(this.#file("mischief"), "");
  }

  /** Whether the agent has started to misbehave. */
  async hasMisbehaved(): Promise<boolean> {
    const sign = this.#rig.file(`root/${this.repo}/${MISBEHAVED}`);
    const isOver = calmDeadline(MISBEHAVED_WITHIN_MS);
    while (!existsSync(sign) && !isOver()) await pause(POLL_MS);
    return existsSync(sign);
  }

  async answerAll(): Promise<void> {
    await this.#retry(async () => {
      const signal = AbortSignal.timeout(GIVE_UP_MS);
      const { suspensions } = await this.#rig.client.sessions.get(this.id, { signal });
      for (const { id: suspensionId, kind } of suspensions) {
        const answer = ANSWERS[kind] ?? { done: true };
        await this.#rig.client.sessions.answer(this.id, { suspensionId, answer }, { signal });
      }
    });
  }

  /** The client disconnects before the response, and sends the message again with the same idempotency key. */
  async sendAndLeave(random: () => number): Promise<void> {
    const key = `${this.id}-left`;
    const text = `${script(say("left"))}\n#${this.repo}/left`;
    for (let tries = 0; tries < 3; tries += 1) {
      await this.#rig.client.sessions
        .send(
          this.id,
          { text },
          { idempotencyKey: key, signal: AbortSignal.timeout(Math.round(random() * 8)) },
        )
        .catch(() => {});
    }
    await this.#retry(async () => {
      const signal = AbortSignal.timeout(GIVE_UP_MS);
      await this.#rig.client.sessions.send(this.id, { text }, { idempotencyKey: key, signal });
    });
  }

  async remove(): Promise<void> {
    await this.#retry(async () => {
      const response = await fetch(`${this.#rig.url}/api/sessions/${this.id}`, {
        method: "DELETE",
        headers: BEARER,
      });
      if (!response.ok && response.status !== 404)
        throw new Error(`the session could not be deleted: ${response.status}`);
    });
  }

  #steps(): readonly (readonly Step[])[] {
    const gate = waitFor(this.#gate);
    const look = { id: "t1", title: "Look", kind: "read" } as const;
    switch (this.moment) {
      case "idle":
        return [[say("hello")]];
      case "starting":
        return [[say("started")]];
      case "streaming":
        return [[flood({ perSecond: 60, seconds: 4, text: "word " })]];
      case "in a tool":
        return [[tool({ ...look, ends: null }), gate, tool({ ...look, ends: "completed" })]];
      case "waiting for permission":
        return [[say("may I?"), ask({ id: "t1", title: "make" }), say("thanks")]];
      case "waiting for a form":
        return [[elicit(form("Who?", { name: { type: "string" } })), say("thanks")]];
      case "waiting for an event":
        return [[mcp("wait_for_event", { name: "deployed" }), say("waiting", "m2")]];
      case "queued":
        return [[gate, say("one")], [say("two")], [say("three")]];
      case "cancelling":
        return [[ignore("cancel"), say("on and on"), gate]];
      default:
        return this.moment satisfies never;
    }
  }

  #misbehaviourSteps(): readonly Step[] {
    if (this.misbehaviour === null || this.misbehaviour.provider !== null) return [];
    return [meanwhile(this.#file("mischief"), write(MISBEHAVED), ...this.misbehaviour.steps)];
  }

  get #gate(): string {
    return this.#file("gate");
  }

  #file(name: "gate" | "mischief"): string {
    return this.#rig.file(`${name}-${this.repo}`);
  }

  async #send(...steps: readonly Step[]): Promise<SentMessage | null> {
    this.#sent += 1;
    const sending = sendUntilAcknowledged(this.#history, {
      sessionId: this.id,
      tag: `${this.repo}/${this.#sent}`,
      text: script(...steps),
      choose: () => this.#rig,
    });
    this.#sending.add(sending);
    const sent = await sending.finally(() => this.#sending.delete(sending));
    if (sent !== null) this.#acknowledged.add(sent.messageId);
    return sent;
  }

  /** Describes what the client was shown and what is stored, which may differ. */
  async #whyNotInMoment(): Promise<string> {
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const stored: unknown = await this.#rig.client.sessions
      .get(this.id, { signal })
      .catch((error: unknown) => String(error));
    const shown = JSON.stringify(this.observed);
    const [node, content] = [this.watcher.node, JSON.stringify(stored)];
    return `not ${this.moment}, connected to ${node}: shown ${shown}, stored ${content === shown ? "is the same" : content}`;
  }

  async #cancelOnce(): Promise<void> {
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const { state } = await this.#rig.client.sessions.get(this.id, { signal });
    if (state !== "idle") await this.#rig.client.sessions.cancel(this.id, {}, { signal });
  }

  /** Retries after every error until the deadline. */
  async #retry(act: () => Promise<void>): Promise<void> {
    const isOver = calmDeadline(PLACED_WITHIN_MS);
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (isOver()) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}
