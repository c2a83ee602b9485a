import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../packages/server/src/http/build-app.ts";
import { type App } from "../../packages/server/src/http/app.ts";
import { RawClient } from "../../packages/server/src/http/testing/raw-client.ts";
import { listen } from "../../packages/server/src/http/testing/test-app.ts";
import { say, script } from "../../packages/server/src/providers/testing/script.ts";
import { TestRuntime } from "../../packages/server/src/runtime/testing/test-runtime.ts";

let test: TestRuntime;
let app: App;
let port: number;
/** A short session, and a longer one with higher sequence numbers. */
let ours: string;
let theirs: string;

beforeAll(async () => {
  test = await TestRuntime.open();
  app = await buildApp({
    runtime: test.runtime,
    version: "1.2.3",
    startedAt: new Date(),
    token: null,
    webFolder: null,
  });
  port = await listen(app);
  const createSession = async (words: readonly string[]): Promise<string> => {
    const id = await test.createSession({ title: words[0] ?? "" });
    await test.send(id, script(...words.map((word) => say(word))));
    await test.idle(id);
    return id;
  };
  ours = await createSession(["ours-canary"]);
  theirs = await createSession(Array.from({ length: 12 }, (_, index) => `theirs-canary-${index} `));
  await test.send(theirs, script(say("theirs-canary-again")));
  await test.idle(theirs);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const lastSeqOf = async (sessionId: string): Promise<number> =>
  (await test.store.lastSeqs([sessionId])).get(sessionId) ?? 0;

/** Connects with this event ID, changes the session once more, and returns everything received until then. */
async function replay(sessionId: string, lastEventId: string): Promise<string> {
  const title = `now ${Math.random()}`;
  const client = new RawClient(port, `/api/sessions/${sessionId}/events`, {
    "last-event-id": lastEventId,
  });
  await client.until("\r\n\r\n");
  await fetch(`http://127.0.0.1:${port}/api/sessions/${sessionId}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title }),
  });
  await client.until(title);
  client.socket.destroy();
  await client.closed;
  return client.received;
}

const idsIn = (stream: string): readonly number[] =>
  [...stream.matchAll(/^id: ?(\d+)$/gmu)].map(([, id]) => Number(id));

/** The current position of the stream of all sessions. */
async function globalPosition(): Promise<string> {
  const client = new RawClient(port, "/api/events");
  await client.until("\r\n\r\n");
  await fetch(`http://127.0.0.1:${port}/api/sessions/${theirs}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "sent to all" }),
  });
  await client.until("sent to all");
  await client.until("\n\n");
  client.socket.destroy();
  const position = [...client.received.matchAll(/^id: ?(.+)$/gmu)].at(-1)?.[1];
  if (position === undefined) throw new Error("the stream sent no position");
  return position;
}

describe("a resumed stream", () => {
  it("stays inside its session with the event ID of another session", async () => {
    const higherSeq = await lastSeqOf(theirs);
    expect(higherSeq).toBeGreaterThan(await lastSeqOf(ours));
    for (const lastEventId of [String(higherSeq), "1", "0", "999999999999999"]) {
      const stream = await replay(ours, lastEventId);
      expect(stream).not.toContain(theirs);
      expect(stream).not.toContain("theirs-canary");
      const ids = idsIn(stream);
      expect(ids).toEqual(ids.toSorted((left, right) => left - right));
      expect(ids.at(-1)).toBe(await lastSeqOf(ours));
    }
  });

  it("starts over with an event ID that the session has not reached", async () => {
    const stream = await replay(ours, String(await lastSeqOf(theirs)));
    expect(stream).toContain("ours-canary");
  });

  it("refuses the position of the stream of all sessions, and everything that is not a number", async () => {
    const position = await globalPosition();
    const wrong = [position, "-1", "1.5", "1e3", "0x10", "NaN", "../1", "1 or 1=1", `${ours}:1`];
    for (const lastEventId of wrong) {
      const reply = await app.inject({
        url: `/api/sessions/${ours}/events`,
        headers: { "last-event-id": lastEventId },
      });
      expect([lastEventId, reply.statusCode, reply.json().code]).toEqual([
        lastEventId,
        400,
        "invalid_request",
      ]);
    }
  });

  it("of all sessions sends reset for an unknown position, and replays no history", async () => {
    for (const lastEventId of ["1", String(await lastSeqOf(theirs)), "garbage", `${theirs}:1`]) {
      const client = new RawClient(port, "/api/events", { "last-event-id": lastEventId });
      await client.until("event: reset");
      client.socket.destroy();
      expect(client.received).not.toContain("canary");
    }
  });
});
