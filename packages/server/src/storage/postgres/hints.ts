import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import type { AskServer } from "../dialect.ts";
import type { Hint } from "../ports/node-store.ts";
import { ImpatientClient } from "./impatient-client.ts";

export interface HintsOptions {
  /** For sending; may use a connection pooler. */
  readonly ask: AskServer;
  /** For receiving: LISTEN needs a dedicated connection, not one of a pooler. */
  readonly url: string;
  /** Identifies this node's own hints. */
  readonly name: string;
  readonly onTrouble: (problem: string, error?: unknown) => void;
}

export interface Hints {
  /**
   * Sends at once. Hints that come while one is being sent are sent together, and so is the output of all sessions within
   * a few milliseconds.
   */
  send(hint: Hint): void;
  listen(listener: (hint: Hint) => void): void;
  /** Sends what is waiting. */
  close(): Promise<void>;
}

/**
 * Hints between nodes. They are sent after the commit in a transaction of their own, because NOTIFY inside the writing
 * transaction would serialize all commits. They carry only IDs. A hint may be lost: nodes also poll.
 */
export function openHints({ ask, url, name, onTrouble }: HintsOptions): Hints {
  const waiting = new Map<string, Hint>();
  const listeners: ((hint: Hint) => void)[] = [];
  const closing = new AbortController();
  let sending: Promise<void> | null = null;
  let listening: Promise<void> | null = null;
  let isUrgent = false;
  let pauseUntil = 0;
  let timer: NodeJS.Timeout | null = null;

  const publish = (payload: string): Promise<unknown> => ask(NOTIFY, [CHANNEL, payload]);

  /** Sends what is waiting now. */
  const sendAll = async (): Promise<void> => {
    const payloads = takePayloads(name, waiting);
    isUrgent = false;
    pauseUntil = performance.now() + OUTPUT_EVERY_MS;
    for (const payload of payloads) await publish(payload);
  };

  const notify = (hint: Hint): void => {
    for (const listener of listeners) listener(hint);
  };

  /** Listens on one connection; resolves when it ends. */
  const listenOnce = async (): Promise<void> => {
    const client = new ImpatientClient({
      connectionString: url,
      application_name: "holdfast-listen",
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    const over = Promise.withResolvers<void>();
    client.on("error", () => over.resolve());
    client.on("end", () => over.resolve());
    const stop = (): void => over.resolve();
    closing.signal.addEventListener("abort", stop, { once: true });
    try {
      await client.connect();
      let isHeard = false;
      client.on("notification", ({ payload }) => {
        const [from, hints] = parsePayload(payload);
        if (from === name) isHeard = true;
        else for (const hint of hints) notify(hint);
      });
      await client.query(`listen "${CHANNEL}"`);
      // Earlier hints were missed.
      notify({ hint: "anything" });
      await publish(JSON.stringify([name, []]));
      const startedAt = performance.now();
      let isReported = false;
      while (!closing.signal.aborted) {
        const end = await Promise.race([over.promise.then(() => "over"), pause(CHECK_MS)]);
        if (end === "over") return;
        // A dead connection looks like an idle one.
        await client.query("select 1");
        if (!isHeard && !isReported && performance.now() - startedAt > SELF_TEST_MS) {
          isReported = true;
          onTrouble(
            "hints of other nodes do not arrive: is this URL one of a pooler? Set HOLDFAST_DATABASE_DIRECT_URL. Until then nodes notice each other's work within seconds",
          );
        }
        if (!isHeard) notify({ hint: "anything" });
      }
    } finally {
      closing.signal.removeEventListener("abort", stop);
      await client.end().catch(() => {});
    }
  };

  const listenOn = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted;) {
      const startedAt = performance.now();
      await listenOnce().catch((error: unknown) => {
        if (!closing.signal.aborted) onTrouble("no connection for hints of other nodes", error);
      });
      failures = performance.now() - startedAt > STEADY_MS ? 0 : failures + 1;
      const pauseMs = backoffMs(failures, { ...RECONNECT, random: Math.random() });
      await pause(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  };

  const sendOn = (): void => {
    if (sending !== null || waiting.size === 0) return;
    const waitMs = isUrgent || closing.signal.aborted ? 0 : pauseUntil - performance.now();
    if (waitMs > 0) {
      timer ??= setTimeout(() => {
        timer = null;
        sendOn();
      }, waitMs).unref();
      return;
    }
    sending = sendAll()
      .catch((error: unknown) => {
        waiting.clear();
        onTrouble("hints for other nodes could not be sent", error);
      })
      .finally(() => {
        sending = null;
        sendOn();
      });
  };

  return {
    send(hint) {
      if (closing.signal.aborted) return;
      if (waiting.size >= MAX_WAITING) {
        waiting.clear();
        waiting.set("anything", { hint: "anything" });
      }
      waiting.set(keyOf(hint), hint);
      isUrgent ||= hint.hint !== "output";
      sendOn();
    },
    listen(listener) {
      listeners.push(listener);
      if (!closing.signal.aborted) listening ??= listenOn();
    },
    async close() {
      closing.abort();
      if (timer !== null) clearTimeout(timer);
      sendOn();
      while (sending !== null) await sending;
      await listening;
    },
  };
}

const CHANNEL = "holdfast";
const NOTIFY = "select pg_notify($1, $2)";
/** Much shorter than anybody notices, and long enough for the pieces of many agents. */
const OUTPUT_EVERY_MS = 10;
/** PostgreSQL's limit is 8,000 bytes. */
const PAYLOAD_BYTES = 7_500;
const MAX_WAITING = 5_000;
const CONNECT_MS = 3_000;
const ANSWER_MS = 4_000;
const CHECK_MS = 2_000;
const SELF_TEST_MS = 3_000;
const STEADY_MS = 10_000;
const RECONNECT = { firstMs: 100, maxMs: 3_000 };

function keyOf(hint: Hint): string {
  return "sessionId" in hint ? `${hint.hint} ${hint.sessionId}` : hint.hint;
}

/** Takes all waiting hints, in as few payloads as possible. */
function takePayloads(name: string, waiting: Map<string, Hint>): readonly string[] {
  const payloads: string[] = [];
  while (waiting.size > 0) payloads.push(nextPayload(name, waiting));
  return payloads;
}

/** Takes as many waiting hints as fit. */
function nextPayload(name: string, waiting: Map<string, Hint>): string {
  const parts: Hint[] = [];
  let bytes = name.length + 10;
  for (const [key, hint] of waiting) {
    const size = Buffer.byteLength(JSON.stringify(hint)) + 1;
    if (bytes + size > PAYLOAD_BYTES && parts.length > 0) break;
    waiting.delete(key);
    parts.push(size > PAYLOAD_BYTES ? { hint: "anything" } : hint);
    bytes += size;
  }
  return JSON.stringify([name, parts]);
}

/** Only nodes send here. An unknown hint comes from another version and may mean anything. */
function parsePayload(payload: string | undefined): readonly [string, readonly Hint[]] {
  const unknown = ["", [{ hint: "anything" }]] as const;
  if (payload === undefined) return unknown;
  try {
    const parsed: unknown = JSON.parse(payload);
    if (!Array.isArray(parsed) || typeof parsed[0] !== "string" || !Array.isArray(parsed[1]))
      return unknown;
    const hints: readonly unknown[] = parsed[1];
    return [parsed[0], hints.map(toHint)];
  } catch {
    return unknown;
  }
}

function toHint(value: unknown): Hint {
  if (typeof value !== "object" || value === null || !("hint" in value)) return ANYTHING;
  const { hint } = value;
  if (hint === "nodes") return { hint };
  if (!("sessionId" in value) || typeof value.sessionId !== "string") return ANYTHING;
  const { sessionId } = value;
  if (hint === "output" || hint === "change" || hint === "deleted") return { hint, sessionId };
  if (hint !== "wanted" || !("node" in value)) return ANYTHING;
  return { hint, sessionId, node: typeof value.node === "string" ? value.node : null };
}

const ANYTHING: Hint = { hint: "anything" };
