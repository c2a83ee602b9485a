import type { FeedItem } from "../../packages/server/src/runtime/feeds/feed.ts";
import type { Reply } from "../../packages/server/src/runtime/reply.ts";
import type { Runtime } from "../../packages/server/src/runtime/runtime.ts";
import { messageText } from "./sim-agent.ts";
import { textOf } from "./laws.ts";
import { REPO, type SimNode } from "./sim-node.ts";
import { count, type RequestRecord, type World } from "./world.ts";

type Kind = RequestRecord["kind"];

interface Request {
  readonly kind: Kind;
  readonly sessionId: string;
  readonly tag?: string;
  readonly target?: string;
  readonly delivery?: "queue" | "interrupt" | "steer";
  /** Repeats an attempt whose outcome it does not know. */
  readonly repeats: boolean;
  readonly act: (runtime: Runtime) => Promise<Reply<object>>;
}

/** A reader of one session's feed, which connects again after each loss. */
export interface Watch {
  readonly sessionId: string;
  readonly positions: number[];
  readonly texts: Map<string, string>;
  after: number;
  isConnected: boolean;
  isDeleted: boolean;
  /** A text of which the reader has not the beginning. */
  orphans: number;
}

/** People and programs outside: they ask any node that is up, and repeat what they do not know the outcome of. */
export class SimClients {
  readonly #world: World;
  readonly #nodes: readonly SimNode[];
  readonly watches: Watch[] = [];
  readonly sessions: string[] = [];
  pending = 0;
  #tags = 0;

  constructor(world: World, nodes: readonly SimNode[]) {
    this.#world = world;
    this.#nodes = nodes;
  }

  async create(agentId: string): Promise<string> {
    for (;;) {
      const created = await this.#ask((runtime) =>
        runtime.createSession({
          repoId: REPO.id,
          title: null,
          provider: null,
          model: null,
          agentName: null,
          purpose: null,
          agentId,
          metadata: {},
          message: null,
          idempotency: { key: agentId, requestHash: agentId },
        }),
      );
      if (created !== null && created.ok) {
        this.sessions.push(created.session.id);
        return created.session.id;
      }
      await this.#world.timeline.wait(200);
    }
  }

  /** One thing that somebody may do to a session. */
  act(sessionId: string): void {
    const { random, steers } = this.#world;
    if (steers && random.chance(0.4)) return this.#send(sessionId, "steer");
    const chance = random.next();
    if (chance < 0.62) return this.#send(sessionId, random.chance(0.15) ? "interrupt" : "queue");
    if (chance < 0.8) return void this.answerOne(sessionId);
    if (chance < 0.88) {
      const act = (runtime: Runtime) => runtime.cancel({ sessionId, reason: "enough" });
      return void this.#request({ kind: "cancel", sessionId, repeats: false, act });
    }
    if (chance < 0.93) return void this.#withdraw(sessionId);
    if (chance < 0.97) {
      const act = (runtime: Runtime) => runtime.resume({ sessionId });
      return void this.#request({ kind: "resume", sessionId, repeats: false, act });
    }
    const kind = random.pick<"archive" | "delete">(["archive", "delete"]);
    const act = (runtime: Runtime) =>
      kind === "archive" ? runtime.archive({ sessionId }) : runtime.deleteSession({ sessionId });
    return void this.#request({ kind, sessionId, repeats: true, act });
  }

  #send(sessionId: string, delivery: "queue" | "interrupt" | "steer"): void {
    const tag = `m${(this.#tags += 1)}`;
    const act = (runtime: Runtime) =>
      runtime.sendMessage({
        sessionId,
        content: { type: "text", text: messageText(tag) },
        provider: null,
        model: null,
        delivery,
        continuity: "auto",
        idempotency: { key: tag, requestHash: tag },
      });
    void this.#request({ kind: "send", sessionId, tag, delivery, repeats: true, act });
  }

  /** Answers the oldest open question of the session, or of any. */
  async answerOne(sessionId: string | null): Promise<void> {
    const open = (await this.#ask((runtime) => runtime.listSuspensions())) ?? [];
    const [first] = open.filter((each) => sessionId === null || each.sessionId === sessionId);
    if (first === undefined) return;
    const option = this.#world.random.pick(["yes", "no"]);
    const answer = first.kind === "permission" ? option : "this one";
    const act = (runtime: Runtime) =>
      runtime.answer({
        sessionId: first.sessionId,
        suspensionId: first.id,
        answer,
        by: "a client",
      });
    const about = { sessionId: first.sessionId, target: first.id, tag: answer };
    await this.#request({ kind: "answer", ...about, repeats: false, act });
  }

  async #withdraw(sessionId: string): Promise<void> {
    const read = await this.#ask((runtime) => runtime.readQueue(sessionId));
    const last = read !== null && read.ok ? read.queue.at(-1) : undefined;
    if (last === undefined) return;
    const { messageId } = last;
    const tag = /#(\S+)$/u.exec(textOf(last))?.[1] ?? "";
    const act = (runtime: Runtime) => runtime.withdrawQueued({ sessionId, messageId });
    const about = { sessionId, target: messageId, tag };
    await this.#request({ kind: "withdraw", ...about, repeats: false, act });
  }

  async #request({ kind, sessionId, tag, target, delivery, repeats, act }: Request): Promise<void> {
    const { timeline, requests } = this.#world;
    const firstAt = timeline.now;
    const names = { tag: tag ?? null, target: target ?? null, delivery: delivery ?? null };
    const about = { kind, sessionId, ...names, firstAt };
    this.pending += 1;
    count(this.#world, kind);
    for (;;) {
      timeline.note(`client: ${kind} ${tag ?? ""} ${sessionId}`);
      const reply = await this.#ask(act);
      const end = { ...about, endedAt: timeline.now };
      if (reply !== null) {
        const outcome = reply.ok
          ? ({ ok: true, messageId: messageIdIn(reply) } as const)
          : ({ ok: false, why: reply.refusal.code } as const);
        timeline.note(`client: ${kind} ${tag ?? ""} -> ${outcome.ok ? "ok" : outcome.why}`);
        requests.push({ ...end, outcome });
        if (outcome.ok || outcome.why !== "server_stopping") break;
      } else {
        requests.push({ ...end, outcome: { ok: false, why: "unknown" } });
        if (!repeats) break;
      }
      await timeline.wait(100 + this.#world.random.below(500));
    }
    this.pending -= 1;
  }

  /** Null when the outcome is unknown. */
  async #ask<Value>(act: (runtime: Runtime) => Promise<Value>): Promise<Value | null> {
    const { timeline, random } = this.#world;
    await timeline.wait(random.below(20));
    const up = this.#nodes.filter(({ runtime }) => runtime !== null);
    const node = up[random.below(up.length)];
    if (node === undefined) return null;
    try {
      return await node.request(act);
    } catch (error) {
      timeline.note(`client: no reply of ${node.name}: ${String(error)}`);
      return null;
    }
  }

  /** Follows a session for as long as it exists. */
  async watch(sessionId: string): Promise<void> {
    const { timeline, random } = this.#world;
    const watch: Watch = {
      sessionId,
      positions: [],
      texts: new Map(),
      after: 0,
      isConnected: false,
      isDeleted: false,
      orphans: 0,
    };
    this.watches.push(watch);
    while (!watch.isDeleted) {
      const up = this.#nodes.filter(({ runtime }) => runtime !== null);
      const node = up[random.below(up.length)];
      if (node !== undefined) await this.#connect(watch, node).catch(() => {});
      await timeline.wait(50 + random.below(200));
    }
  }

  /** Reads one connection until it ends. */
  async #connect(watch: Watch, node: SimNode): Promise<void> {
    const { timeline, random } = this.#world;
    const over = Promise.withResolvers<void>();
    let isOpen = true;
    /** Entries that are not complete yet are sent again after a loss. */
    let pending: FeedItem[] = [];
    const { sessionId, after } = watch;
    const opened = await node.request((runtime) =>
      runtime.openFeed({
        sessionId,
        after,
        onItem: (item) => {
          if (!isOpen) return true;
          pending.push(item);
          if (item.position === null) return true;
          for (const each of pending) take(watch, each);
          pending = [];
          return true;
        },
        onEnd: (end) => {
          if (end === "deleted") watch.isDeleted = true;
          over.resolve();
        },
      }),
    );
    if (!opened.ok) {
      if (opened.refusal.code === "session_not_found") watch.isDeleted = true;
      return;
    }
    watch.isConnected = true;
    node.onCrash(over.resolve);
    if (random.chance(0.3)) timeline.after(random.below(5_000), over.resolve);
    await over.promise;
    isOpen = false;
    watch.isConnected = false;
    timeline.as(node.owner, () => opened.feed.close());
  }
}

function take(watch: Watch, { position, change }: FeedItem): void {
  if (position !== null) {
    watch.after = Number(position);
    watch.positions.push(watch.after);
  }
  if (change.type === "message") watch.texts.set(change.message.id, textOf(change.message));
  if (change.type !== "delta") return;
  const before = watch.texts.get(change.messageId);
  if (before === undefined) watch.orphans += 1;
  watch.texts.set(change.messageId, `${before ?? ""}${change.text}`);
}

function messageIdIn(reply: object): string | null {
  if (!("sent" in reply) || typeof reply.sent !== "object" || reply.sent === null) return null;
  return "messageId" in reply.sent ? String(reply.sent.messageId) : null;
}
