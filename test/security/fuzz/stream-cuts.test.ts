import { randomInt } from "node:crypto";
import { wholeSessionSchema, type WholeSession } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConnection } from "../../../packages/client/src/connection.ts";
import { streamEvents } from "../../../packages/client/src/event-stream.ts";
import { follow } from "../../../packages/client/src/follow.ts";
import { createSessions, type Sessions } from "../../../packages/client/src/sessions.ts";
import { reconnectingNow } from "../../../packages/client/src/testing/reconnecting-now.ts";
import { schemaValidation } from "../../../packages/client/src/schema-validation.ts";
import { repeat } from "../../../packages/server/src/domain/testing/repeat.ts";
import { buildApp } from "../../../packages/server/src/http/build-app.ts";
import { type App } from "../../../packages/server/src/http/app.ts";
import { RawClient } from "../../../packages/server/src/http/testing/raw-client.ts";
import { listen } from "../../../packages/server/src/http/testing/test-app.ts";
import { say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { TestRuntime } from "../../../packages/server/src/runtime/testing/test-runtime.ts";

let test: TestRuntime;
let app: App;
let recording: Recording;

/** A session before and after a run, and all bytes of its stream in between. */
interface Recording {
  readonly first: WholeSession;
  readonly bytes: Buffer;
  readonly last: WholeSession;
}

beforeAll(async () => {
  test = await TestRuntime.open();
  app = await buildApp({
    runtime: test.runtime,
    version: "1.2.3",
    startedAt: new Date(),
    token: null,
    webFolder: null,
  });
  recording = await record(await listen(app));
});
afterAll(async () => {
  await app.close();
  await test.close();
});

async function record(port: number): Promise<Recording> {
  const id = await test.createSession({ title: "Größe 🦕" });
  const url = `/api/sessions/${id}`;
  const read = async (): Promise<WholeSession> =>
    wholeSessionSchema.parse((await app.inject(url)).json());
  const first = await read();
  const stream = new RawClient(port, `${url}/events`, { "last-event-id": first.lastEventId });
  const parts: Buffer[] = [];
  stream.socket.on("data", (part: Buffer) => parts.push(part));
  await stream.until("\r\n\r\n");
  await test.send(id, script(say("Grüße "), say("🙂\n"), say("ende")));
  await test.idle(id);
  const last = await read();
  await stream.until(`id: ${last.lastEventId}\n`);
  await stream.until("\n\n");
  stream.socket.destroy();
  await stream.closed;
  return { first, last, bytes: bodyOf(Buffer.concat(parts)) };
}

/** The body of the reply, up to the last complete event. */
function bodyOf(reply: Buffer): Buffer {
  return reply.subarray(reply.indexOf("\r\n\r\n") + 4, reply.lastIndexOf("\n\n") + 2);
}

/** For each event ID, the offset of the bytes after it. */
function offsets({ first, bytes }: Recording): ReadonlyMap<string, number> {
  const starts = new Map([[first.lastEventId, 0]]);
  let from = 0;
  for (let end = bytes.indexOf("\n\n"); end !== -1; end = bytes.indexOf("\n\n", from)) {
    const id = /^id: ?(\d+)$/mu.exec(bytes.toString("utf8", from, end))?.[1];
    from = end + 2;
    if (id !== undefined) starts.set(id, from);
  }
  return starts;
}

/** Runs the client on a server that replays the recording and cuts the first connection after this many bytes. */
async function followCut(cutAfter: number, starts: ReadonlyMap<string, number>): Promise<unknown> {
  const { first, last, bytes } = recording;
  let connections = 0;
  const answer: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.endsWith("/events")) return Response.json(first);
    connections += 1;
    const position = new Headers(init?.headers).get("last-event-id") ?? first.lastEventId;
    const from = starts.get(position);
    if (from === undefined) throw new Error(`${position} is not an event ID of the stream`);
    const isCut = connections === 1;
    const sent = bytes.subarray(from, isCut ? from + cutAfter : undefined);
    return new Response(
      new ReadableStream({
        start: (controller) => {
          if (sent.length > 0) controller.enqueue(Uint8Array.from(sent));
          if (isCut) controller.close();
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  };
  const connection = createConnection(
    { url: "http://recorded.test", fetch: answer },
    schemaValidation,
  );
  const sessions: Pick<Sessions, "get" | "events"> = {
    get: createSessions(connection).get,
    events: (id, { after, signal } = {}) =>
      streamEvents({
        connection,
        path: `/api/sessions/${id}/events`,
        after: String(after),
        ofOneSession: true,
        signal,
        reconnecting: reconnectingNow(),
      }),
  };
  for await (const { session } of follow(sessions, first.id))
    if (session.lastEventId === last.lastEventId) return session;
  return null;
}

describe("a stream of a real session", () => {
  it("cut after any byte, leaves the client with the stored session (C7, P4)", async () => {
    const starts = offsets(recording);
    const { bytes, last } = recording;
    expect(bytes.length).toBeGreaterThan(2_000);
    expect(starts.size).toBeGreaterThan(3);
    const step = repeat({ short: 12, long: 1 });
    // Another start each time, so that everyday runs together cut after every byte.
    const from = step === 1 ? 0 : randomInt(step);
    for (let cutAfter = from; cutAfter <= bytes.length; cutAfter += step) {
      const session = await followCut(cutAfter, starts);
      expect({ cutAfter, session }).toEqual({ cutAfter, session: last });
    }
    process.stdout.write(`stream cuts: after each ${step}. byte, from ${from}\n`);
  });
});
