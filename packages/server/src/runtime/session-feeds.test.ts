import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../domain/message.ts";
import { beginSession, type SessionDriver } from "../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../storage/testing/test-database.ts";
import type { Run, StoredSuspension } from "../storage/store.ts";
import type { FeedEnd, FeedItem } from "./feed.ts";
import type { QueuedMessage, SessionSnapshot } from "./runtime.ts";
import { createSessionFeeds, type SessionFeeds } from "./session-feeds.ts";

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

/** A reader that applies what it gets, as a client does, and takes only as much as it is allowed to. */
class Client {
  session: SessionSnapshot | null = null;
  queue: readonly QueuedMessage[] = [];
  readonly messages = new Map<string, Message>();
  readonly runs = new Map<string, Run>();
  readonly suspensions = new Map<string, StoredSuspension>();
  readonly positions: number[] = [];
  readonly ends: FeedEnd[] = [];
  after = 0;
  items = 0;
  allowance = Infinity;
  #feed: { resume(): void; close(): void } | null = null;

  async connect(sessionId: string): Promise<void> {
    const { lastSeq } = await recordOf(sessionId);
    this.#feed = feeds.open({
      sessionId,
      after: this.after,
      lastSeq,
      onItem: (item) => this.#take(item),
      onEnd: (end) => void this.ends.push(end),
    });
  }

  disconnect(): void {
    this.#feed?.close();
    this.#feed = null;
  }

  allow(items: number): void {
    this.allowance = items;
    this.#feed?.resume();
  }

  #take({ position, change }: FeedItem): boolean {
    this.items += 1;
    if (position !== null) {
      this.after = Number(position);
      this.positions.push(this.after);
    }
    switch (change.type) {
      case "message":
        this.messages.set(change.message.id, change.message);
        break;
      case "delta": {
        const message = this.messages.get(change.messageId);
        if (message === undefined) throw new Error("text for a message that was not sent");
        const text = `${message.content["text"] as string}${change.text}`;
        this.messages.set(message.id, { ...message, content: { ...message.content, text } });
        break;
      }
      case "run":
        this.runs.set(change.run.id, change.run);
        break;
      case "suspension":
        this.suspensions.set(change.suspension.id, change.suspension);
        break;
      case "queue":
        this.queue = change.queue;
        break;
      case "session":
        this.session = change.session;
        break;
      default:
        break;
    }
    this.allowance -= 1;
    return this.allowance > 0;
  }

  get state(): unknown {
    return {
      session: this.session,
      queue: this.queue,
      messages: [...this.messages.values()].toSorted((a, b) => a.seq - b.seq),
      runs: [...this.runs.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    };
  }
}

async function recordOf(sessionId: string): Promise<SessionSnapshot> {
  const read = await test.store.readSession(sessionId);
  if (read.found !== "session") throw new Error("no session");
  return read.record;
}

async function shown(sessionId: string): Promise<unknown> {
  const runs = await test.store.readRuns(sessionId);
  return {
    session: await recordOf(sessionId),
    queue: await test.store.readQueue(sessionId),
    messages: await test.store.readMessages({ sessionId }),
    runs: runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
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
  it("brings everything from the beginning, then what happens, in order and once (C7)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    await streamed(session, 3);
    const client = new Client();
    await client.connect(session.id);
    await streamed(session, 20);
    const { lastSeq } = await recordOf(session.id);
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
    const client = new Client();
    await client.connect(session.id);
    for (let microtasks = 0; microtasks < 60; microtasks += 1) {
      const before = await recordOf(session.id);
      await until(() => client.after === before.lastSeq);
      for (const part of ["a", "b"]) {
        const message = { id: `${part}-${microtasks}`, role: "agent" as const, content: text("x") };
        await session.put(sent, { put: "message", message, complete: true });
      }
      storedLater = microtasks;
      feeds.touch(session.id);
      const { lastSeq } = await recordOf(session.id);
      await until(() => client.after === lastSeq);
    }
  });

  it("is dropped when its reader falls far behind, and catches up when it comes back (C7)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const slow = new Client();
    slow.allowance = 1;
    const quick = new Client();
    await slow.connect(session.id);
    await quick.connect(session.id);
    const sent = await session.run();
    await session.claim();
    for (let index = 0; index < 1_100; index += 1) {
      const message = { id: `note-${index}`, role: "agent" as const, content: text("x") };
      await session.put(sent, { put: "message", message, complete: true });
      feeds.touch(session.id);
    }
    await session.end(sent);
    feeds.touch(session.id);
    const { lastSeq } = await recordOf(session.id);
    await until(() => quick.after === lastSeq && slow.ends.length > 0);
    expect([slow.ends, quick.ends, feeds.dropped]).toEqual([["too_slow"], [], 1]);
    slow.allowance = Infinity;
    await slow.connect(session.id);
    await until(() => slow.after === lastSeq);
    expect(slow.state).toEqual(quick.state);
  });

  it("sends everything to a reader whose position cannot be of this log", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const client = new Client();
    client.after = 999;
    await client.connect(session.id);
    await until(() => client.session !== null);
    expect(client.state).toEqual(await shown(session.id));
  });

  it("tells its readers that the session was deleted, and ends (C8)", async () => {
    const session = await beginSession(test.store, { repoId: "repo-1" });
    const client = new Client();
    await client.connect(session.id);
    await until(() => client.session !== null);
    feeds.end(session.id);
    expect([client.ends, feeds.readers]).toEqual([["deleted"], 0]);
  });

  it("leaves a client that breaks off and pauses anywhere with what a read shows (C7)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("say", "send", "end", "cut", "pause", "note"), {
          minLength: 5,
          maxLength: 40,
        }),
        async (steps) => {
          const session = await beginSession(test.store, { repoId: "repo-1" });
          const client = new Client();
          await client.connect(session.id);
          await session.claim();
          let sent: Awaited<ReturnType<SessionDriver["run"]>> | null = null;
          let said: string | null = null;
          for (const step of steps) {
            if (step === "cut") {
              client.disconnect();
              await client.connect(session.id);
            } else if (step === "pause") {
              client.allow(1);
            } else if (step === "note") {
              await session.perform({
                type: "update",
                changes: { metadata: { n: Math.random() } },
              });
            } else if (step === "send") {
              if (sent === null) sent = await session.run();
              else await session.send("later", { delivery: "queue" });
            } else if (sent !== null && step === "say") {
              const id: string = said ?? `said-${sent.runId}`;
              if (said === null) {
                const message = { id, role: "agent" as const, content: text("") };
                await session.put(sent, { put: "message", message, complete: false });
                said = id;
              }
              await session.put(sent, { put: "text", messageId: id, text: "word " });
            } else if (sent !== null && step === "end") {
              await session.end(sent);
              sent = null;
              said = null;
              const [next] = await test.store.readQueue(session.id);
              if (next !== undefined) {
                const start = { provider: "demo", model: null, handed: true };
                await session.perform({ type: "start-run", runId: next.runId, start });
                sent = { messageId: next.messageId, runId: next.runId };
              }
            }
            feeds.touch(session.id);
          }
          await session.perform({ type: "update", changes: { title: "done" } });
          feeds.touch(session.id);
          client.allow(Infinity);
          const { lastSeq } = await recordOf(session.id);
          await until(() => client.after === lastSeq);
          expect(client.state).toEqual(await shown(session.id));
          client.disconnect();
        },
      ),
      { numRuns: 60 },
    );
  });
});
