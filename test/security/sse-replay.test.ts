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
/** A short session, and a longer one whose numbers reach beyond. */
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
  const made = async (words: readonly string[]): Promise<string> => {
    const created = await test.createSession({ title: words[0] ?? "" });
    await test.send(created, script(...words.map((word) => say(word))));
    await test.idle(created);
    return created;
  };
  ours = await made(["ours-canary"]);
  theirs = await made(Array.from({ length: 12 }, (_, index) => `theirs-canary-${index} `));
  await test.send(theirs, script(say("theirs-canary-again")));
  await test.idle(theirs);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const lastSeqOf = async (sessionId: string): Promise<number> =>
  (await test.store.lastSeqs([sessionId])).get(sessionId) ?? 0;

/** What arrives until the session has changed once more, whatever the reader claims to have seen. */
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

/** The position of the stream of all sessions, as a reader of it is told. */
async function globalPosition(): Promise<string> {
  const client = new RawClient(port, "/api/events");
  await client.until("\r\n\r\n");
  await fetch(`http://127.0.0.1:${port}/api/sessions/${theirs}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "told to all" }),
  });
  await client.until("told to all");
  await client.until("\n\n");
  client.socket.destroy();
  const position = [...client.received.matchAll(/^id: ?(.+)$/gmu)].at(-1)?.[1];
  if (position === undefined) throw new Error("the stream told no position");
  return position;
}

describe("a stream that is taken up again", () => {
  it("stays inside its session with the number of another's event", async () => {
    const beyond = await lastSeqOf(theirs);
    expect(beyond).toBeGreaterThan(await lastSeqOf(ours));
    for (const lastEventId of [String(beyond), "1", "0", "999999999999999"]) {
      const stream = await replay(ours, lastEventId);
      expect(stream).not.toContain(theirs);
      expect(stream).not.toContain("theirs-canary");
      const ids = idsIn(stream);
      expect(ids).toEqual(ids.toSorted((left, right) => left - right));
      expect(ids.at(-1)).toBe(await lastSeqOf(ours));
    }
  });

  it("begins anew when told a number the session has not reached", async () => {
    const stream = await replay(ours, String(await lastSeqOf(theirs)));
    expect(stream).toContain("ours-canary");
  });

  it("refuses the position of the stream of all sessions, and whatever is no number", async () => {
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

  it("of all sessions says reset to a position it does not know, and replays no history", async () => {
    for (const lastEventId of ["1", String(await lastSeqOf(theirs)), "garbage", `${theirs}:1`]) {
      const client = new RawClient(port, "/api/events", { "last-event-id": lastEventId });
      await client.until("event: reset");
      client.socket.destroy();
      expect(client.received).not.toContain("canary");
    }
  });
});
