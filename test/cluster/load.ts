import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { flood, say, script, tool } from "../../packages/server/src/providers/testing/script.ts";
import type { History, RequestRecord } from "./history.ts";
import type { Reachable } from "./watcher.ts";

/** Longer than a node may take to respond, so that slow responses are recorded. */
const GIVE_UP_MS = 15_000;

export interface SentMessage {
  readonly messageId: string;
  readonly runId: string;
  readonly node: string;
}

/** Sends a message with one idempotency key to one node after another until a node acknowledges it. */
export async function sendUntilAcknowledged(
  history: History,
  {
    sessionId,
    tag,
    text,
    choose,
    stopped,
  }: {
    readonly sessionId: string;
    readonly tag: string;
    readonly text: string;
    readonly choose: (last: string | null) => Reachable;
    readonly stopped?: AbortSignal;
  },
): Promise<SentMessage | null> {
  const idempotencyKey = randomUUID();
  const firstAt = Date.now();
  let last: string | null = null;
  for (;;) {
    const node = choose(last);
    last = node.name;
    const request = { kind: "send", sessionId, tag, node: node.name, firstAt } as const;
    const sentAt = Date.now();
    const begun = calmNow();
    const record = (outcome: RequestRecord["outcome"]): void => {
      const tookMs = calmNow() - begun;
      history.requests.push({ ...request, sentAt, endedAt: Date.now(), tookMs, outcome });
    };
    try {
      const { message, run } = await node.client.sessions.send(
        sessionId,
        { text: `${text}\n#${tag}` },
        { idempotencyKey, signal: AbortSignal.timeout(GIVE_UP_MS) },
      );
      record({ ok: true, messageId: message.id });
      return { messageId: message.id, runId: run.id, node: node.name };
    } catch (error) {
      record({ ok: false, why: error instanceof Error ? error.message : String(error) });
      if (stopped?.aborted === true) return null;
      await pause(50);
    }
  }
}

export interface Sender {
  /** Number of messages acknowledged so far. */
  readonly count: number;
  /** Stops sending. Resolves when the last message is acknowledged. */
  stop(): Promise<void>;
}

/** Starts short runs one after another, with text and a tool, so that faults always interrupt something. */
export function startSending(
  history: History,
  {
    sessionId,
    name,
    choose,
    updatesPerSecond,
  }: {
    readonly sessionId: string;
    /** Name of the sender; the prefix of its tags. */
    readonly name: string;
    readonly choose: (last: string | null) => Reachable;
    readonly updatesPerSecond: number;
  },
): Sender {
  const stopped = new AbortController();
  let count = 0;
  const work = async (): Promise<void> => {
    for (let n = 0; !stopped.signal.aborted; n += 1) {
      const text = script(
        say(`message ${n}. `),
        tool({ id: `t${n}`, title: `Look ${n}`, kind: "read", ends: "completed" }),
        flood({ perSecond: updatesPerSecond, seconds: 0.2 + (n % 4) / 5, text: `word${n} ` }),
      );
      const sent = await sendUntilAcknowledged(history, {
        sessionId,
        tag: `${name}/${n}`,
        text,
        choose,
        stopped: stopped.signal,
      });
      if (sent === null) return;
      count += 1;
      await pause(300, undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  const working = work();
  return {
    get count() {
      return count;
    },
    stop: async () => {
      stopped.abort();
      await working;
    },
  };
}
