/** Creates sessions, sends messages at a constant rate, and checks each session at its end. */
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "../../packages/client/src/index.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import { LatencyRecorder } from "./latencies.ts";
import type { FromSender, SenderFigures, ToSender } from "./load-messages.ts";
import { parsePlan } from "./soak-plan.ts";
import { SERVER_TOKEN } from "../../packages/server/src/http/testing/server-token.ts";

/** Every tenth message goes to a busy session with the delivery `reject`. */
const REJECT_EVERY = 10;
const TICK_MS = 5;
const RETRY_MS = 1_000;
/** Maximum number of messages without a response per session. More would not help a slow server. */
const MAX_SENDING = 4;

const [url = "", repoId = "", planText = ""] = process.argv.slice(2);
const plan = parsePlan(planText);
const client = createClient({ url, token: SERVER_TOKEN });
const sends = new LatencyRecorder();
const stopped = new AbortController();
const waiting = new Map<string, () => void>();
const allOpened = Promise.withResolvers<void>();
let opened = 0;
let figures = noFigures();

const options: LaneOptions = {
  client,
  repoId,
  answerMs: plan.answerMs,
  tally: {
    onAcknowledged: (ms) => {
      figures.acknowledged += 1;
      sends.add(ms);
    },
    onRefused: (code) => {
      figures.refused[code] = (figures.refused[code] ?? 0) + 1;
    },
    onRepeated: () => {
      figures.repeated += 1;
    },
    onEnded: (messages) => {
      figures.sessionsEnded += 1;
      figures.messagesChecked += messages;
    },
    onViolation: (text) => void figures.violations.push(text),
  },
  opened: async (sessionId) => {
    await ask(`watched ${sessionId}`, { type: "opened", sessionId });
    opened += 1;
    if (opened === plan.sessions) allOpened.resolve();
  },
  settled: (settled) => ask(`left ${settled.sessionId}`, { type: "settled", settled }),
};
const lanes = Array.from({ length: plan.sessions }, () => new Lane(options));
const streaming = lanes.slice(0, plan.speakers);
const answering = lanes.slice(plan.speakers);

process.on("message", (message: ToSender) => {
  switch (message.type) {
    case "begin":
      return void run();
    case "watched":
    case "left":
      return release(`${message.type} ${message.sessionId}`);
    case "figures":
      return send({ type: "figures", figures: takeFigures() });
    case "stop":
      return stopped.abort();
    default:
      return message satisfies never;
  }
});
process.once("disconnect", () => process.exit());

async function run(): Promise<void> {
  const running = [
    ...streaming.map((lane, index) => runLane(lane, { index, isStreaming: true })),
    ...answering.map((lane, index) => runLane(lane, { index, isStreaming: false })),
  ];
  await allOpened.promise;
  send({ type: "ready" });
  const sending = sendEvenly();
  await Promise.all(running);
  clearInterval(sending);
  send({ type: "stopped" });
}

/** The first sessions have different durations, so that they do not all end at once. */
async function runLane(
  lane: Lane,
  { index, isStreaming }: { readonly index: number; readonly isStreaming: boolean },
): Promise<void> {
  const { length } = isStreaming ? streaming : answering;
  let part = 0.5 + index / length / 2;
  while (!stopped.signal.aborted) {
    await lane
      .runSession({
        forMs: plan.sessionMs * part,
        pace: isStreaming ? { everyMs: 1_000 / plan.updatesPerSecond, runMs: plan.runMs } : null,
        signal: stopped.signal,
      })
      .catch(async (error: unknown) => {
        figures.violations.push(`a session failed: ${String(error)}`);
        await pause(RETRY_MS);
      });
    part = 1;
  }
}

/** Sends messages when they are due, however late the responses are. */
function sendEvenly(): NodeJS.Timeout {
  const startedMs = performance.now();
  let sent = 0;
  const next = { answering: 0, streaming: 0 };
  return setInterval(() => {
    if (stopped.signal.aborted) return;
    for (; (sent * 1_000) / plan.sendsPerSecond < performance.now() - startedMs; sent += 1) {
      const dueMs = startedMs + (sent * 1_000) / plan.sendsPerSecond;
      const rejects = sent % REJECT_EVERY === 0;
      const kind = rejects ? "streaming" : "answering";
      const candidates = rejects ? streaming : answering;
      // Skips sessions that are being replaced.
      for (let tries = 0; tries < candidates.length; tries += 1) {
        next[kind] += 1;
        const lane = candidates[next[kind] % candidates.length];
        if (lane === undefined) continue;
        if (lane.sending >= MAX_SENDING) {
          figures.heldBack += 1;
          break;
        }
        if (lane.send(rejects ? "reject" : "queue", dueMs)) break;
      }
    }
  }, TICK_MS);
}

function ask(answer: string, message: FromSender): Promise<void> {
  return new Promise((resolve) => {
    waiting.set(answer, resolve);
    send(message);
  });
}

function release(answer: string): void {
  waiting.get(answer)?.();
  waiting.delete(answer);
}

function takeFigures(): SenderFigures {
  const taken = { ...figures, sends: sends.take() };
  figures = noFigures();
  return taken;
}

function noFigures() {
  const refused: Record<string, number> = {};
  const violations: string[] = [];
  return {
    acknowledged: 0,
    heldBack: 0,
    refused,
    repeated: 0,
    sessionsEnded: 0,
    messagesChecked: 0,
    violations,
  };
}

function send(message: FromSender): void {
  process.send?.(message);
}
