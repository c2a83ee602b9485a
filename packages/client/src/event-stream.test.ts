import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { StreamEvent } from "./apply-event.ts";
import { createConnection } from "./connection.ts";
import { streamEvents, type EventStreamOptions } from "./event-stream.ts";
import { reconnectingNow } from "./testing/reconnecting-now.ts";
import {
  openTestServer,
  sendProblem,
  startEventStream,
  type Answer,
} from "./testing/test-server.ts";
import { schemaValidation } from "./schema-validation.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A stream from a server that plays one script per connection and repeats the last one. */
async function open(answers: readonly Answer[], options: Partial<EventStreamOptions> = {}) {
  const requests: IncomingMessage[] = [];
  const server = await openTestServer((request, response) => {
    requests.push(request);
    return (answers[requests.length - 1] ?? answers.at(-1))?.(request, response);
  });
  closing.push(server.close);
  const reconnecting = reconnectingNow();
  const stream = streamEvents({
    connection: createConnection({ url: server.url, token: "s3cret" }, schemaValidation),
    path: "/events",
    after: null,
    ofOneSession: true,
    reconnecting,
    ...options,
  });
  const positions = () => requests.map(({ headers }) => headers["last-event-id"] ?? null);
  return { stream, requests, positions, reconnecting, server };
}

function sending(text: string, then: "end" | "stay" = "end"): Answer {
  return (_, response) => {
    startEventStream(response);
    if (then === "end") response.end(text);
    else response.write(text);
  };
}

async function allOf(stream: AsyncIterable<StreamEvent>): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const deltaText = (id: number | null, text: string): string =>
  `${id === null ? "" : `id: ${id}\n`}event: delta\ndata: {"messageId":"m","text":"${text}"}\n\n`;
const delta = (id: number | null, text: string): StreamEvent => ({
  id: id === null ? null : String(id),
  type: "delta",
  data: { messageId: "m", text },
});
const DELETED = 'event: session\ndata: {"id":"s","deleted":true}\n\n';
const deleted: StreamEvent = { id: null, type: "deleted", data: { id: "s", deleted: true } };
const ended = { done: true, value: undefined };

describe("a stream of one session", () => {
  it("requests events after its position with its token, and ends with the session's deletion", async () => {
    const { stream, requests } = await open([sending(deltaText(8, "a") + DELETED, "stay")], {
      after: "7",
    });
    expect(await allOf(stream)).toEqual([delta(8, "a"), deleted]);
    expect(requests.map(({ headers }) => headers)).toMatchObject([
      { accept: "text/event-stream", "last-event-id": "7", authorization: "Bearer s3cret" },
    ]);
  });

  it("reports when it connects and when it disconnects", async () => {
    const states: string[] = [];
    const { stream } = await open(
      [
        sending(deltaText(1, "a")),
        (_, response) => sendProblem(response, { status: 503, code: "server_stopping" }),
        sending(DELETED),
      ],
      { onConnection: (state) => states.push(state) },
    );
    expect(await allOf(stream)).toEqual([delta(1, "a"), deleted]);
    expect(states).toEqual(["open", "broken", "broken", "open"]);
  });

  it("advances its position only with an event that has an ID", async () => {
    const { stream, positions } = await open([
      sending(deltaText(1, "a") + deltaText(null, "lost with its group")),
      sending(deltaText(null, "b") + deltaText(2, "c")),
      sending(DELETED),
    ]);
    expect(await allOf(stream)).toEqual([delta(1, "a"), delta(null, "b"), delta(2, "c"), deleted]);
    expect(positions()).toEqual([null, "1", "2"]);
  });

  it("skips repeated events and unknown names", async () => {
    const later = 'id: 3\nevent: later\ndata: {"anything":1}\n\n';
    const { stream, positions } = await open([
      sending(deltaText(2, "a") + deltaText(2, "again") + deltaText(1, "old") + later),
      sending(DELETED),
    ]);
    expect(await allOf(stream)).toEqual([delta(2, "a"), deleted]);
    expect(positions()).toEqual([null, "3"]);
  });

  it("joins characters that arrive in pieces", async () => {
    const bytes = Buffer.from(deltaText(1, "é🙂") + DELETED);
    const { stream } = await open([
      async (_, response) => {
        startEventStream(response);
        for (const byte of bytes) {
          await new Promise((written) => response.write(Uint8Array.of(byte), written));
          await new Promise(setImmediate);
        }
      },
    ]);
    expect(await allOf(stream)).toEqual([delta(1, "é🙂"), deleted]);
  });

  it("releases a group of events that grows too large", async () => {
    const { stream } = await open([sending(deltaText(null, "x").repeat(1000), "stay")]);
    expect(await stream.next()).toEqual({ done: false, value: delta(null, "x") });
    await stream.return();
  });

  it.each([
    [400, "invalid_request"],
    [401, "unauthorized"],
    [403, "host_not_allowed"],
    [404, "session_not_found"],
    [410, "not_found"],
  ])("stops for good when the server says %i", async (status, code) => {
    const { stream, requests } = await open([
      sending(deltaText(1, "a")),
      (_, response) => sendProblem(response, { status, code }),
    ]);
    expect(await stream.next()).toEqual({ done: false, value: delta(1, "a") });
    await expect(stream.next()).rejects.toMatchObject({ name: "HoldfastError", status, code });
    expect(await stream.next()).toEqual(ended);
    expect(requests).toHaveLength(2);
  });

  it("throws when the reply is not an event stream, or an event is invalid", async () => {
    const hungUp = Promise.withResolvers<void>();
    const page = await open([
      (_, response) => {
        response.write("<p>not ours, and never ending</p>");
        response.once("close", hungUp.resolve);
      },
    ]);
    await expect(page.stream.next()).rejects.toMatchObject({ code: "unexpected_reply" });
    await hungUp.promise;
    const broken = await open([sending("event: delta\ndata: {oops\n\n")]);
    await expect(broken.stream.next()).rejects.toMatchObject({
      code: "unexpected_reply",
      cause: expect.any(SyntaxError),
    });
    const none = await open([(_, response) => response.writeHead(204).end()]);
    expect(await none.stream.next()).toEqual(ended);
  });
});

describe("a stream that has lost its server", () => {
  it("reconnects after growing pauses, and after short ones once it has received events", async () => {
    const down: Answer = (_, response) => response.destroy();
    const { stream, reconnecting } = await open([
      ...Array.from({ length: 6 }, () => down),
      sending(deltaText(1, "a")),
      sending(DELETED),
    ]);
    await allOf(stream);
    expect(reconnecting.waits).toEqual([200, 400, 800, 1600, 2500, 2500, 100]);
  });

  it("waits as long as the server asks, up to a limit", async () => {
    const unavailable =
      (after: string): Answer =>
      (_, response) =>
        sendProblem(response, {
          status: 503,
          code: "server_stopping",
          headers: { "retry-after": after },
        });
    const { stream, reconnecting } = await open([
      unavailable("3"),
      unavailable("86400"),
      sending(`retry: 1000\n\n${deltaText(1, "a")}`),
      sending(DELETED),
    ]);
    await allOf(stream);
    expect(reconnecting.waits).toEqual([3000 + 200, 60_000 + 400, 1000 + 100]);
  });

  it("treats a silent connection as dead", async () => {
    const { stream, reconnecting, positions } = await open([
      sending(deltaText(1, "a"), "stay"),
      sending(deltaText(2, "b") + DELETED),
    ]);
    expect(await stream.next()).toEqual({ done: false, value: delta(1, "a") });
    const next = stream.next();
    await expect.poll(reconnecting.watches).toBe(3);
    reconnecting.fallSilent();
    expect(await next).toEqual({ done: false, value: delta(2, "b") });
    expect(positions()).toEqual([null, "1"]);
    await stream.return();
  });

  it("treats a comment as a sign of life", async () => {
    const stop = new AbortController();
    let beat: () => void = () => {};
    const { stream, reconnecting, requests } = await open(
      [
        (_, response) => {
          startEventStream(response);
          response.write(deltaText(1, "a"));
          beat = () => void response.write(": \n\n");
        },
      ],
      { signal: stop.signal },
    );
    expect(await stream.next()).toEqual({ done: false, value: delta(1, "a") });
    const next = stream.next();
    for (const watches of [3, 4, 5]) {
      await expect.poll(reconnecting.watches).toBe(watches);
      beat();
    }
    stop.abort();
    expect(await next).toEqual(ended);
    expect(requests).toHaveLength(1);
  });
});

describe("a stream that is no longer needed", () => {
  it("ends and disconnects at once when its signal aborts", async () => {
    const stop = new AbortController();
    const hungUp = Promise.withResolvers<void>();
    const { stream, reconnecting } = await open(
      [
        (_, response) => {
          startEventStream(response);
          response.write(deltaText(1, "a"));
          response.once("close", hungUp.resolve);
        },
      ],
      { signal: stop.signal },
    );
    expect(await stream.next()).toEqual({ done: false, value: delta(1, "a") });
    const next = stream.next();
    stop.abort();
    expect(await next).toEqual(ended);
    await hungUp.promise;
    expect(reconnecting.waits).toEqual([]);
  });

  it("sends no request when its signal has aborted before, and stops waiting for a server", async () => {
    const never = await open([sending(DELETED)], { signal: AbortSignal.abort() });
    expect(await never.stream.next()).toEqual(ended);
    expect(never.requests).toEqual([]);

    const stop = new AbortController();
    const waiting = Promise.withResolvers<void>();
    const { stream } = await open([(_, response) => response.destroy()], {
      signal: stop.signal,
      reconnecting: {
        ...reconnectingNow(),
        later: (ms) => {
          if (ms < 1000) waiting.resolve();
          return () => {};
        },
      },
    });
    const next = stream.next();
    await waiting.promise;
    stop.abort();
    expect(await next).toEqual(ended);
  });

  it("disconnects when its reader stops", async () => {
    const hungUp = Promise.withResolvers<void>();
    const { stream } = await open([
      (_, response) => {
        startEventStream(response);
        response.write(deltaText(1, "a") + deltaText(2, "b"));
        response.once("close", hungUp.resolve);
      },
    ]);
    for await (const event of stream) {
      expect(event).toEqual(delta(1, "a"));
      break;
    }
    await hungUp.promise;
  });

  it("reads no faster than its reader", async () => {
    const total = 64 * 1024 * 1024;
    let written = 0;
    const { stream } = await open([
      (_, response) => {
        startEventStream(response);
        const pump = (): void => {
          while (written < total) {
            const text = deltaText(written + 1, "x".repeat(64 * 1024));
            written += text.length;
            if (!response.write(text)) return void response.once("drain", pump);
          }
        };
        pump();
      },
    ]);
    await stream.next();
    let before = -1;
    await expect
      .poll(
        () => {
          const isSteady = written === before;
          before = written;
          return isSteady;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(written).toBeLessThan(total / 2);
    await stream.return();
  });
});

describe("a stream of all sessions", () => {
  const all = { ofOneSession: false };

  it("continues after the deletion of one, and from the position of a reset", async () => {
    const { stream, positions } = await open(
      [
        sending(`id: a.5\nevent: reset\ndata: {}\n\nid: a.6\n${DELETED}`),
        sending(`id: b.1\nevent: reset\ndata: {}\n\n`),
        sending(`id: b.1\nevent: reset\ndata: {}\n\n`),
        sending("event: reset\ndata: {}\n\n"),
        (_, response) => response.writeHead(204).end(),
      ],
      all,
    );
    expect(await allOf(stream)).toEqual([
      { id: "a.5", type: "reset", data: {} },
      { ...deleted, id: "a.6" },
      { id: "b.1", type: "reset", data: {} },
      { id: "b.1", type: "reset", data: {} },
      { id: null, type: "reset", data: {} },
    ]);
    expect(positions()).toEqual([null, "a.6", "b.1", "b.1", null]);
  });
});
