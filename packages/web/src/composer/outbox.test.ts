import { ConnectionError, HoldfastError } from "@holdfast/client";
import { expect, it } from "vitest";
import { createOutbox, type NewMessage, type Outgoing } from "./outbox.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

const HELLO: NewMessage = {
  text: "Hello",
  attachments: [],
  provider: "demo",
  model: null,
  mode: null,
  options: {},
  delivery: "queue",
};

const DAY_MS = 24 * 3_600_000;

function setUp({ storage = memoryStorage(), now = (): number => 1_000 } = {}) {
  const sent: Outgoing[] = [];
  const answers: (() => Promise<unknown>)[] = [];
  let keys = 0;
  const outbox = createOutbox({
    storage,
    now,
    newKey: () => `key${(keys += 1)}`,
    send: (_, message) => {
      sent.push(message);
      return (answers.shift() ?? (() => Promise.resolve()))();
    },
  });
  return { outbox, sent, answers, storage };
}
const lost = (): Promise<never> =>
  Promise.reject(new ConnectionError("no answer", { cause: null }));
const full = (): Promise<never> =>
  Promise.reject(new HoldfastError("queue_full", { status: 409, detail: "The queue is full." }));

it("a sent message is removed", async () => {
  const { outbox, storage } = setUp();
  await outbox.send("s", HELLO);
  expect(outbox.of("s")).toEqual([]);
  expect(storage.kept.size).toBe(0);
});

it("a message without an answer is sent again with the same key, and a refused one on request", async () => {
  const { outbox, sent, answers } = setUp();
  answers.push(lost, lost, full);
  await outbox.send("s", HELLO);
  expect(outbox.of("s")).toMatchObject([{ ...HELLO, key: "key1", isWaiting: true, failure: null }]);
  await outbox.resend("s");
  expect(outbox.of("s")).toMatchObject([{ isWaiting: true }]);
  await outbox.resend("s");
  expect(outbox.of("s")).toMatchObject([{ isWaiting: false, failure: "The queue is full." }]);
  await outbox.resend("s");
  await outbox.retry("s", "key1");
  expect(outbox.of("s")).toEqual([]);
  expect(sent.map(({ key }) => key)).toEqual(["key1", "key1", "key1", "key1"]);
});

it("a message in flight survives closing the page, and is sent again", async () => {
  const { outbox, storage, answers } = setUp();
  const stuck = Promise.withResolvers<void>();
  answers.push(() => stuck.promise);
  const sending = outbox.send("s", HELLO);
  expect(outbox.of("s")).toMatchObject([{ ...HELLO, key: "key1", isWaiting: false }]);
  const later = setUp({ storage });
  expect(later.outbox.of("s")).toMatchObject([{ key: "key1", text: "Hello", isWaiting: true }]);
  await later.outbox.resend("s");
  expect(later.sent.map(({ key }) => key)).toEqual(["key1"]);
  stuck.resolve();
  await sending;
});

it("a message that had no answer for a day is not sent by itself", async () => {
  const { outbox, answers } = setUp({ now: stepping(DAY_MS + 1) });
  answers.push(lost);
  await outbox.send("s", HELLO);
  expect(outbox.of("s")).toMatchObject([
    { isWaiting: false, failure: expect.stringContaining("a day") },
  ]);
});

it("a message in flight is not sent twice", async () => {
  const { outbox, sent, answers } = setUp();
  const stuck = Promise.withResolvers<void>();
  answers.push(() => stuck.promise);
  const sending = outbox.send("s", HELLO);
  await outbox.retry("s", "key1");
  await outbox.resend("s");
  await outbox.retry("s", "key9");
  expect(sent).toHaveLength(1);
  stuck.resolve();
  await sending;
});

it("removing a message does not affect other sessions", async () => {
  const { outbox, answers } = setUp();
  answers.push(lost, lost);
  await outbox.send("s", HELLO);
  await outbox.send("t", HELLO);
  outbox.remove("s", "key1");
  expect(outbox.of("s")).toEqual([]);
  expect(outbox.of("t")).toHaveLength(1);
});

it("invalid stored messages are skipped", () => {
  const storage = memoryStorage();
  storage.set("holdfast.outbox.s", '[1, {"key": "k"}, {"key": "k", "text": "x", "delivery": 3}]');
  expect(setUp({ storage }).outbox.of("s")).toMatchObject([
    { key: "k", text: "x", delivery: "queue", provider: null },
  ]);
});

/** A clock that goes on by this much with every look. */
function stepping(ms: number): () => number {
  let time = 0;
  return () => (time += ms);
}
