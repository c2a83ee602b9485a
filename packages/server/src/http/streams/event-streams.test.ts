import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { calmMsOf } from "../../domain/testing/calm-clock.ts";
import { LIMITS } from "../../runtime/context.ts";
import type { App } from "../app.ts";
import { RawClient } from "../testing/raw-client.ts";
import { refusal } from "../testing/samples.ts";
import { delta, scriptedFeeds, type ScriptedFeed } from "../testing/scripted-feed.ts";
import { holdTimers, listen, testApp } from "../testing/test-app.ts";

const URL = "/api/sessions/s1/events";
const frame = (number: number, text: string): string =>
  `id: ${number}\nevent: delta\ndata: {"messageId":"m1","text":"${text}"}\n\n`;

async function open(services: Parameters<typeof testApp>[0] = {}) {
  const feeds = scriptedFeeds();
  const app = await testApp({ runtime: feeds.runtime, ...services });
  const port = await listen(app);
  return { ...feeds, app, port };
}

function socketsOf(app: App): Socket[] {
  const sockets: Socket[] = [];
  app.server.on("connection", (socket: Socket) => sockets.push(socket));
  return sockets;
}

const LONG = "x".repeat(50_000);

/** Sends items until the connection of a client that does not read is full. Returns their number. */
async function fill(feed: ScriptedFeed): Promise<number> {
  for (let count = 1; ; count += 1) {
    const resumed = feed.resumed.then(() => true);
    if (feed.say(count, LONG)) continue;
    if (!(await Promise.race([resumed, quiet()]))) return count;
  }
}

async function quiet(): Promise<false> {
  for (let turns = 0; turns < 300; turns += 1) await setImmediate();
  return false;
}

describe("an event stream", () => {
  it("sends events as they happen, with headers against buffering (C7, C10)", async () => {
    const { port, next } = await open();
    const client = new RawClient(port, URL);
    const feed = await next();
    expect(feed.opened).toMatchObject({ sessionId: "s1", after: 0 });
    await client.until("retry: 1000\n\n");
    const head = client.received.split("\r\n\r\n")[0]?.toLowerCase().split("\r\n") ?? [];
    expect(head[0]).toBe("http/1.1 200 ok");
    expect(head).toEqual(
      expect.arrayContaining([
        "content-type: text/event-stream; charset=utf-8",
        "cache-control: no-cache, no-transform",
        "x-accel-buffering: no",
        "x-content-type-options: nosniff",
        "cross-origin-resource-policy: same-origin",
      ]),
    );
    expect(feed.say(1, "one")).toBe(true);
    await client.until(frame(1, "one"));
    feed.say(2, "two");
    await client.until(frame(2, "two"));
    expect(client.body).toBe(`retry: 1000\n\n${frame(1, "one")}${frame(2, "two")}`);
    client.socket.destroy();
    await feed.closed.promise;
  });

  it("continues after Last-Event-ID, which overrides the query (C7)", async () => {
    const { port, next } = await open();
    const clients: RawClient[] = [];
    const afterOf = async (path: string, headers = {}): Promise<number> => {
      clients.push(new RawClient(port, path, headers));
      return (await next()).opened.after;
    };
    expect(await afterOf(`${URL}?after=12`)).toBe(12);
    expect(await afterOf(URL, { "last-event-id": "40" })).toBe(40);
    expect(await afterOf(`${URL}?after=12`, { "last-event-id": "40" })).toBe(40);
    for (const { socket } of clients) socket.destroy();
  });

  it("keeps items that come before the feed is open, and its end", async () => {
    const app = await testApp({
      runtime: {
        openFeed: async ({ onItem, onEnd }) => {
          expect(onItem(delta(1, "early"))).toBe(false);
          onEnd("deleted");
          return { ok: true, feed: { resume() {}, close() {} } };
        },
      },
    });
    const client = new RawClient(await listen(app), URL);
    await client.closed;
    expect(client.body).toBe(`retry: 1000\n\n${frame(1, "early")}`);
  });

  it("is refused at the limit of streams; when one ends, another can start", async () => {
    const { port, next } = await open({ limits: { ...LIMITS, streams: 2 } });
    const ask = async () => fetch(`http://127.0.0.1:${port}${URL}`);
    const clients: RawClient[] = [];
    const begin = async (): Promise<ScriptedFeed> => {
      clients.push(new RawClient(port, URL));
      return next();
    };
    const first = await begin();
    await begin();
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ code: "streams_full" });
    clients[0]?.socket.destroy();
    await first.closed.promise;
    await begin();
    expect((await ask()).status).toBe(503);
    for (const { socket } of clients) socket.destroy();
  });

  it("is refused like other requests, and opens nothing for HEAD", async () => {
    const app = await testApp({
      runtime: {
        openFeed: async () => refusal({ code: "server_stopping", message: "The server stops." }),
        readSession: async () => refusal(),
      },
    });
    const reply = await app.inject(URL);
    expect([reply.statusCode, reply.json().code]).toEqual([503, "server_stopping"]);
    expect((await app.inject({ method: "HEAD", url: URL })).statusCode).toBe(404);
    const head = await app.inject({ method: "HEAD", url: "/api/events" });
    expect([head.statusCode, head.headers["content-type"]]).toEqual([200, "text/event-stream"]);
  });

  it("sends the changes of all sessions after the last position", async () => {
    const positions: (string | null)[] = [];
    const app = await testApp({
      runtime: {
        openGlobalFeed: ({ after, onItem, onEnd }) => {
          positions.push(after);
          queueMicrotask(() => {
            onItem({ position: "node.1", change: { type: "reset" } });
            onItem({ position: "node.2", change: { type: "deleted", sessionId: "s1" } });
            onEnd("stopping");
          });
          return { resume() {}, close() {} };
        },
      },
    });
    const reply = await app.inject({ url: "/api/events", headers: { "last-event-id": "node.0" } });
    expect(reply.body).toBe(
      'retry: 1000\n\nid: node.1\nevent: reset\ndata: {}\n\nid: node.2\nevent: session\ndata: {"id":"s1","deleted":true}\n\n',
    );
    await app.inject("/api/events?after=node.7");
    await app.inject("/api/events");
    expect(positions).toEqual(["node.0", "node.7", null]);
  });

  it("buffers only in the socket for a client that does not read, and continues when it does (P6)", async () => {
    const { app, port, next } = await open();
    const sockets = socketsOf(app);
    const client = new RawClient(port, URL);
    const feed = await next();
    await client.until("retry");
    client.socket.pause();
    const count = await fill(feed);
    const held = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(1024 * 1024);

    const resumed = feed.resumed;
    client.socket.resume();
    await resumed;
    feed.say(count + 1, "the last");
    await client.until(frame(count + 1, "the last"));
    const ids = [...client.body.matchAll(/^id: (\d+)$/gmu)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1));
    client.socket.destroy();
  });

  it("disconnects a client that is too slow without waiting for it", async () => {
    const { app, port, next } = await open();
    const sockets = socketsOf(app);
    const client = new RawClient(port, URL);
    const feed = await next();
    await client.until("retry");
    client.socket.pause();
    const count = await fill(feed);
    const cut = new Promise((resolve) => sockets[0]?.once("close", resolve));
    feed.reader.onEnd("too_slow");
    await cut;
    expect(feed.isClosed).toBe(true);
    expect(feed.say(count + 1)).toBe(false);
    client.socket.destroy();
  });

  it("ends with its session after an event about it", async () => {
    const { port, next } = await open();
    const client = new RawClient(port, URL);
    const feed = await next();
    await client.until("retry");
    feed.reader.onItem({ position: null, change: { type: "deleted", sessionId: "s1" } });
    feed.reader.onEnd("deleted");
    await client.closed;
    expect(client.body).toBe('retry: 1000\n\nevent: session\ndata: {"id":"s1","deleted":true}\n\n');
  });

  it("ends with the server, which does not wait for clients", async () => {
    const { app, port, next } = await open();
    const reading = new RawClient(port, URL);
    const first = await next();
    const stalled = new RawClient(port, URL);
    const second = await next();
    await Promise.all([reading.until("retry"), stalled.until("retry")]);
    first.say(1, "seen");
    stalled.socket.pause();
    await fill(second);
    holdTimers();
    expect(await calmMsOf(app.close())).toBeLessThan(2_500);
    expect([first.isClosed, second.isClosed]).toEqual([true, true]);
    await reading.closed;
    expect(reading.body).toBe(`retry: 1000\n\n${frame(1, "seen")}`);
    stalled.socket.destroy();
  });

  it("closes its feed if the client disconnects before the feed is open", async () => {
    const opening = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const app = await testApp({
      runtime: {
        openFeed: async () => {
          opened.resolve();
          await opening.promise;
          return { ok: true, feed: { resume() {}, close: () => closed.resolve() } };
        },
      },
    });
    const sockets = socketsOf(app);
    const client = new RawClient(await listen(app), URL);
    await opened.promise;
    const gone = new Promise((resolve) => sockets[0]?.once("close", resolve));
    client.socket.destroy();
    await gone;
    opening.resolve();
    await closed.promise;
  });

  it("sends heartbeats while nothing happens", async () => {
    const { port, next } = await open({ heartbeatMs: 20 });
    const client = new RawClient(port, URL);
    await next();
    await client.until(": \n\n: \n\n");
    expect(client.body).toMatch(/^retry: 1000\n\n(: \n\n)+$/u);
    client.socket.destroy();
  });

  it("serves a thousand clients with events that are encoded once", async () => {
    const { port, next, app } = await open({ heartbeatMs: 600_000 });
    const clients = Array.from({ length: 1_000 }, () => new RawClient(port, URL));
    const feeds = await Promise.all(clients.map(next));
    await Promise.all(clients.map((client) => client.until("retry")));
    for (let number = 1; number <= 20; number += 1) {
      const item = delta(number, `text ${number}`);
      for (const { reader } of feeds) reader.onItem(item);
    }
    await Promise.all(clients.map((client) => client.until(frame(20, "text 20"))));
    const whole = Array.from({ length: 20 }, (_, index) => frame(index + 1, `text ${index + 1}`));
    for (const client of clients) expect(client.body).toBe(`retry: 1000\n\n${whole.join("")}`);
    await app.close();
    await Promise.all(clients.map(({ closed }) => closed));
    expect(feeds.every(({ isClosed }) => isClosed)).toBe(true);
  });
});
