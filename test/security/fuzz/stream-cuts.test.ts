import { wholeSessionSchema, type WholeSession } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConnection } from "../../../packages/client/src/connection.ts";
import { streamEvents } from "../../../packages/client/src/event-stream.ts";
import { follow } from "../../../packages/client/src/follow.ts";
import { createSessions, type Sessions } from "../../../packages/client/src/sessions.ts";
import { reconnectingNow } from "../../../packages/client/src/testing/reconnecting-now.ts";
import { buildApp } from "../../../packages/server/src/http/build-app.ts";
import { type App } from "../../../packages/server/src/http/app.ts";
import { RawClient } from "../../../packages/server/src/http/testing/raw-client.ts";
import { listen } from "../../../packages/server/src/http/testing/test-app.ts";
import { say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { TestRuntime } from "../../../packages/server/src/runtime/testing/test-runtime.ts";

let test: TestRuntime;
let app: App;
let recorded: Recording;

/** A session as it was, every byte its stream then brought, and as it was in the end. */
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
  recorded = await record(await listen(app));
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

/** What came after the head of the reply, up to the last whole event. */
function bodyOf(reply: Buffer): Buffer {
  return reply.subarray(reply.indexOf("\r\n\r\n") + 4, reply.lastIndexOf("\n\n") + 2);
}

/** Where what comes after each position begins. */
function offsets({ first, bytes }: Recording): ReadonlyMap<string, number> {
  const found = new Map([[first.lastEventId, 0]]);
  let from = 0;
  for (let end = bytes.indexOf("\n\n"); end !== -1; end = bytes.indexOf("\n\n", from)) {
    const id = /^id: ?(\d+)$/mu.exec(bytes.toString("utf8", from, end))?.[1];
    from = end + 2;
    if (id !== undefined) found.set(id, from);
  }
  return found;
}

/** The client on a server that plays the recording, its first connection cut after so many bytes. */
async function followCut(cutAfter: number, starts: ReadonlyMap<string, number>): Promise<unknown> {
  const { first, last, bytes } = recorded;
  let connections = 0;
  const answer: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.endsWith("/events")) return Response.json(first);
    connections += 1;
    const position = new Headers(init?.headers).get("last-event-id") ?? first.lastEventId;
    const from = starts.get(position);
    if (from === undefined) throw new Error(`${position} is no position of the stream`);
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
  const connection = createConnection({ url: "http://recorded.test", fetch: answer });
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
  it("cut at each of its bytes, leaves the client with what reading the session shows (C7, P4)", async () => {
    const starts = offsets(recorded);
    const { bytes, last } = recorded;
    expect(bytes.length).toBeGreaterThan(2_000);
    expect(starts.size).toBeGreaterThan(3);
    for (let cutAfter = 0; cutAfter <= bytes.length; cutAfter += 1) {
      const ended = await followCut(cutAfter, starts);
      expect({ cutAfter, ended }).toEqual({ cutAfter, ended: last });
    }
    process.stdout.write(`stream cuts: ${bytes.length + 1} reconnects\n`);
  });
});
