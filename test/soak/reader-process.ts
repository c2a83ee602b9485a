/** Runs many clients that read event streams and check what they receive. */
import { setTimeout as pause } from "node:timers/promises";
import { LatencyRecorder } from "./latencies.ts";
import type {
  ClientKind,
  FromReaders,
  ReaderFigures,
  Settled,
  ToReaders,
} from "./load-messages.ts";
import { openStreamClient, type StreamClient } from "./stream-client.ts";
import { GlobalSequence, SessionSequence } from "./stream-sequence.ts";

interface Watch {
  readonly client: StreamClient;
  readonly sequence: SessionSequence | GlobalSequence;
  readonly name: string;
}

const CAUGHT_UP_WITHIN_MS = 150_000;
const POLL_MS = 20;

const [url = ""] = process.argv.slice(2);
const sessions = new Map<string, readonly (Watch & { readonly sequence: SessionSequence })[]>();
const globals: (Watch & { readonly sequence: GlobalSequence })[] = [];
const updates = new LatencyRecorder();
let figures = noFigures();

process.on("message", (message: ToReaders) => void handle(message));
process.once("disconnect", () => process.exit());

async function handle(message: ToReaders): Promise<void> {
  switch (message.type) {
    case "watch":
      await watch(message.sessionId, message.clients);
      return send({ type: "watched", sessionId: message.sessionId });
    case "watch-all":
      globals.push(...message.clients.map((kind, index) => watchAll(kind, index)));
      return;
    case "settled":
      await leave(message.settled);
      return send({ type: "left", sessionId: message.settled.sessionId });
    case "figures":
      return send({ type: "figures", figures: takeFigures() });
    case "stop":
      await Promise.all([...sessions.values(), globals].flat().map(({ client }) => client.stop()));
      return send({ type: "stopped" });
    default:
      return message satisfies never;
  }
}

async function watch(sessionId: string, kinds: readonly ClientKind[]): Promise<void> {
  const opened: Promise<void>[] = [];
  const watches = kinds.map((kind, index) => {
    const sequence = new SessionSequence();
    const open = Promise.withResolvers<void>();
    opened.push(open.promise);
    const client = openStreamClient({
      url: `${url}/api/sessions/${sessionId}/events`,
      ...countersOf(kind),
      lastId: () => (sequence.lastId === 0 ? null : String(sequence.lastId)),
      onOpen: open.resolve,
      onBlock: (block) => {
        const now = process.hrtime.bigint();
        figures.events += 1;
        const stamps = sequence.take(block);
        // Other kinds of clients receive events late by design.
        if (kind !== "steady") return;
        for (const { nanoseconds } of stamps) updates.add(Number(now - nanoseconds) / 1e6);
      },
    });
    return { client, sequence, name: `${kind} client ${index} of ${sessionId}` };
  });
  sessions.set(sessionId, watches);
  await Promise.all(opened);
}

function watchAll(kind: ClientKind, index: number): Watch & { readonly sequence: GlobalSequence } {
  const sequence = new GlobalSequence();
  const client = openStreamClient({
    url: `${url}/api/events`,
    ...countersOf(kind),
    lastId: () => sequence.lastId,
    onOpen: () => {},
    onBlock: (block) => {
      figures.events += 1;
      sequence.take(block);
    },
  });
  return { client, sequence, name: `${kind} client ${index} of all sessions` };
}

function countersOf(kind: ClientKind) {
  return {
    kind,
    onDropped: (): void => void (figures.dropped[kind] += 1),
    onRefused: (why: string): void =>
      void figures.violations.push(`a ${kind} client could not connect: ${why}`),
    onReturned: (): void => void (figures.returned += 1),
  };
}

/** Waits until the clients have received everything or the time is over, and stops them. */
async function leave({ sessionId, ...expected }: Settled): Promise<void> {
  const watches = sessions.get(sessionId) ?? [];
  const deadline = performance.now() + CAUGHT_UP_WITHIN_MS;
  await Promise.all(
    watches.map(async ({ client, sequence }) => {
      client.hurry();
      while (sequence.lastId < expected.lastId && performance.now() < deadline)
        await pause(POLL_MS);
      await client.stop();
      sequence.endsWith(expected);
    }),
  );
  collect(watches);
  sessions.delete(sessionId);
}

function collect(watches: readonly Watch[]): void {
  for (const { sequence, name } of watches) {
    figures.violations.push(...sequence.violations.splice(0).map((text) => `${name}: ${text}`));
    if (!(sequence instanceof GlobalSequence)) continue;
    figures.resets += sequence.resets;
    sequence.resets = 0;
  }
}

function takeFigures(): ReaderFigures {
  const watches = [...sessions.values(), globals].flat();
  collect(watches);
  const open = watches.filter(({ client }) => client.isOpen).length;
  const taken = { ...figures, open, updates: updates.take() };
  figures = noFigures();
  return taken;
}

function noFigures() {
  const violations: string[] = [];
  const dropped = { steady: 0, slow: 0, returning: 0 };
  return { events: 0, dropped, returned: 0, resets: 0, violations };
}

function send(message: FromReaders): void {
  process.send?.(message);
}
