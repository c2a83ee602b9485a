import {
  ConnectionError,
  HoldfastError,
  MissingMessageError,
  type StreamEvent,
} from "@holdfast/client";
import type { WholeSession } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { createLiveSession, type LiveSessionOptions } from "./live-session.ts";
import { sampleSession, sampleWhole } from "./testing/samples.ts";

function setUp({
  gets,
  events = [],
  onEvent = () => {},
}: {
  readonly gets: readonly (() => Promise<WholeSession>)[];
  readonly events?: readonly StreamEvent[];
  readonly onEvent?: (event: StreamEvent) => void;
}) {
  const replies = [...gets];
  const stop = new AbortController();
  const received: StreamEvent[] = [];
  const faults: Error[] = [];
  const options: LiveSessionOptions = {
    id: "s",
    sessions: {
      get: () => (replies.shift() ?? (() => Promise.reject(new Error("too many requests"))))(),
      queue: () => Promise.resolve({ queue: [] }),
      runs: () => Promise.resolve({ runs: [], nextCursor: null }),
      async *events(_, { signal, onConnection } = {}) {
        onConnection?.("open");
        for (const event of events) yield event;
        if (onConnection === undefined) return;
        stop.abort();
        signal?.throwIfAborted();
      },
    },
    waiting: { now: () => 0, random: () => 0, pause: () => Promise.resolve() },
    onLoad: () => {},
    onRuns: () => {},
    onEvent: (event) => {
      received.push(event);
      onEvent(event);
    },
    onFault: (error) => void faults.push(error),
  };
  return { live: createLiveSession(options), stop, received, faults };
}
const loadedSession = (): Promise<WholeSession> =>
  Promise.resolve(sampleWhole({ lastEventId: "0" }));
const lost = (): Promise<never> =>
  Promise.reject(new ConnectionError("no server", { cause: null }));

it("loads a session and applies its events", async () => {
  const session = sampleSession({ title: "New", version: 4 });
  const event: StreamEvent = { id: "8", type: "session", data: session };
  const { live, stop, received } = setUp({ gets: [loadedSession], events: [event] });
  await live.run(stop.signal);
  expect(live.current()).toMatchObject({ at: "open", link: "live", view: { session } });
  expect(received).toEqual([event]);
});

it("retries until the server is reachable", async () => {
  const { live, stop } = setUp({ gets: [lost, lost, loadedSession] });
  const seen: string[] = [];
  live.subscribe(() => void seen.push(live.current().at));
  await live.run(stop.signal);
  expect(seen.slice(0, 3)).toEqual(["failed", "failed", "open"]);
});

it("does not retry a missing session", async () => {
  const gone = new HoldfastError("session_not_found", { status: 404, detail: "Gone." });
  const { live, stop } = setUp({ gets: [() => Promise.reject(gone)] });
  await live.run(stop.signal);
  expect(live.current()).toEqual({ at: "missing" });
});

it("a deleted session stays readable and is marked as deleted", async () => {
  const deleted: StreamEvent = { id: "8", type: "deleted", data: { id: "s", deleted: true } };
  const { live, stop } = setUp({ gets: [loadedSession], events: [deleted] });
  await live.run(stop.signal);
  expect(live.current()).toMatchObject({ at: "deleted", view: { session: { id: "s" } } });
});

it("reports text of an unknown message and loads the session again", async () => {
  const orphan: StreamEvent = { id: "8", type: "delta", data: { messageId: "m", text: "x" } };
  const again = (): Promise<WholeSession> => Promise.resolve(sampleWhole({ title: "Again" }));
  let isMissing = true;
  const { live, stop, received, faults } = setUp({
    gets: [loadedSession, again],
    events: [orphan],
    onEvent: () => {
      if (!isMissing) return;
      isMissing = false;
      throw new MissingMessageError("m");
    },
  });
  await live.run(stop.signal);
  expect(live.current()).toMatchObject({ at: "open", view: { session: { title: "Again" } } });
  expect(received).toEqual([orphan, orphan]);
  expect(faults).toEqual([new MissingMessageError("m")]);
});
