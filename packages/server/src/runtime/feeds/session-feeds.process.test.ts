import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { createSessionFeeds, type SessionFeeds } from "./session-feeds.ts";
import { FeedClient, recordOf } from "../testing/feed-client.ts";

let test: TestStore;
let feeds: SessionFeeds;
const failures: unknown[] = [];

beforeEach(async () => {
  test = await openTestStore("sqlite");
  await test.store.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: 0 });
  feeds = createSessionFeeds(test.store, { onFailure: (error) => failures.push(error) });
});
afterEach(async () => {
  await feeds.stop();
  await test.close();
  const [failure] = failures.splice(0);
  if (failure !== undefined) throw failure;
});

async function shown(sessionId: string): Promise<unknown> {
  const runs = await test.store.readRuns(sessionId);
  return {
    session: await recordOf(test.store, sessionId),
    queue: await test.store.readQueue(sessionId),
    messages: await test.store.readMessages({ sessionId }),
    runs: runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function clientOf({ id: sessionId }: SessionDriver): FeedClient {
  return new FeedClient({ store: test.store, feeds, sessionId });
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await settled();
}

function afterMicrotasks(count: number, act: () => void): void {
  if (count === 0) act();
  else queueMicrotask(() => afterMicrotasks(count - 1, act));
}

async function streamed(session: SessionDriver, words: number): Promise<void> {
  const sent = await session.run();
  await session.claim();
  const message = { id: `said-${sent.runId}`, role: "agent" as const, content: text("") };
  await session.put(sent, { put: "message", message, complete: false });
  feeds.touch(session.id);
  for (let index = 0; index < words; index += 1) {
    await session.put(sent, { put: "text", messageId: message.id, text: `w${index} ` });
    feeds.touch(session.id);
  }
  await session.end(sent);
  feeds.touch(session.id);
}

const text = (words: string) => ({ type: "text", text: words });

describe("a session's feed", () => {
  it("is not ended by a look that began before it was opened (P4)", async () => {
    const [early, late] = [
      await beginSession(test.store, { repoId: "repo-1" }),
      await beginSession(test.store, { repoId: "repo-1" }),
    ];
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<void>();
    const slow = createSessionFeeds(
      {
        ...test.store,
        lastSeqs: async (sessionIds) => {
          const lastSeqs = await test.store.lastSeqs(sessionIds);
          asked.resolve();
          await reply.promise;
          return lastSeqs;
        },
      },
      { onFailure: (error) => failures.push(error) },
    );
    const watch = async ({ id: sessionId }: SessionDriver, ends: string[]): Promise<void> => {
      const { lastSeq } = await recordOf(test.store, sessionId);
      const onEnd = (end: string): void => void ends.push(end);
      slow.open({ sessionId, after: 0, lastSeq, onItem: () => true, onEnd });
    };
    const ends: string[] = [];
    await watch(early, ends);
    slow.lookAgain();
    await asked.promise;
    await watch(late, ends);
    reply.resolve();
    await settled();
    expect({ ends, readers: slow.readers }).toEqual({ ends: [], readers: 2 });
    await slow.stop();
  });

  it("brings everything from the beginning, then what happens, in order and once (C7)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    await streamed(session, 3);
    const client = clientOf(session);
    await client.connect();
    await streamed(session, 20);
    const { lastSeq } = await recordOf(test.store, session.id);
    await until(() => client.after === lastSeq);
    expect(client.state).toEqual(await shown(session.id));
    expect(client.positions).toEqual(client.positions.toSorted((a, b) => a - b));
    expect(new Set(client.positions).size).toBe(client.positions.length);
  });

  it("misses nothing that is stored in the moment in which a read ends (P4)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const sent = await session.run();
    await session.claim();
    // Stored and told a little after the read that did not see it yet.
    let storedLater: number | null = null;
    feeds = createSessionFeeds(
      {
        ...test.store,
        readEvents: async (query) => {
          const entries = await test.store.readEvents(query);
          if (storedLater === null) return entries;
          afterMicrotasks(storedLater, () => feeds.touch(session.id));
          storedLater = null;
          return entries.slice(0, -1);
        },
      },
      { onFailure: (error) => failures.push(error) },
    );
    const client = clientOf(session);
    await client.connect();
    for (let microtasks = 0; microtasks < 60; microtasks += 1) {
      const before = await recordOf(test.store, session.id);
      await until(() => client.after === before.lastSeq);
      for (const part of ["a", "b"]) {
        const message = { id: `${part}-${microtasks}`, role: "agent" as const, content: text("x") };
        await session.put(sent, { put: "message", message, complete: true });
      }
      storedLater = microtasks;
      feeds.touch(session.id);
      const { lastSeq } = await recordOf(test.store, session.id);
      await until(() => client.after === lastSeq);
    }
  });

  it("is dropped when its reader falls far behind, and catches up when it comes back (C7)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const slow = clientOf(session);
    slow.allowance = 1;
    const quick = clientOf(session);
    await slow.connect();
    await quick.connect();
    const sent = await session.run();
    await session.claim();
    for (let index = 0; index < 1_100; index += 1) {
      const message = { id: `note-${index}`, role: "agent" as const, content: text("x") };
      await session.put(sent, { put: "message", message, complete: true });
      feeds.touch(session.id);
    }
    await session.end(sent);
    feeds.touch(session.id);
    const { lastSeq } = await recordOf(test.store, session.id);
    await until(() => quick.after === lastSeq && slow.ends.length > 0);
    expect([slow.ends, quick.ends, feeds.dropped]).toEqual([["too_slow"], [], 1]);
    slow.allowance = Infinity;
    await slow.connect();
    await until(() => slow.after === lastSeq);
    expect(slow.state).toEqual(quick.state);
  });

  it("sends everything to a reader whose position cannot be of this log", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const client = clientOf(session);
    client.after = 999;
    await client.connect();
    await until(() => client.session !== null);
    expect(client.state).toEqual(await shown(session.id));
  });

  it("tells its readers that the session was deleted, and ends (C8)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const client = clientOf(session);
    await client.connect();
    await until(() => client.session !== null);
    feeds.end(session.id);
    expect([client.ends, feeds.readers]).toEqual([["deleted"], 0]);
  });
});
