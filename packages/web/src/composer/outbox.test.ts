import { ConnectionError, HoldfastError } from "@holdfast/client";
import { expect, it } from "vitest";
import { createOutbox, type NewMessage, type Outgoing } from "./outbox.ts";
import { memoryStorage } from "./testing/memory-storage.ts";

const HELLO: NewMessage = {
  text: "Hello",
  provider: "demo",
  model: null,
  mode: null,
  options: {},
  delivery: "queue",
};

function setUp({ storage = memoryStorage() } = {}) {
  const sent: Outgoing[] = [];
  const answers: (() => Promise<unknown>)[] = [];
  let keys = 0;
  const outbox = createOutbox({
    storage,
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

it("a failed message stays and is retried with the same key", async () => {
  const { outbox, sent, answers } = setUp();
  answers.push(lost, full);
  await outbox.send("s", HELLO);
  expect(outbox.of("s")).toMatchObject([{ ...HELLO, key: "key1" }]);
  expect(outbox.of("s")[0]?.failure).toContain("did not answer");
  await outbox.retry("s", "key1");
  expect(outbox.of("s")[0]?.failure).toBe("The queue is full.");
  await outbox.retry("s", "key1");
  expect(outbox.of("s")).toEqual([]);
  expect(sent.map(({ key }) => key)).toEqual(["key1", "key1", "key1"]);
});

it("a message in flight survives closing the page", async () => {
  const { outbox, storage, answers } = setUp();
  const stuck = Promise.withResolvers<void>();
  answers.push(() => stuck.promise);
  const sending = outbox.send("s", HELLO);
  expect(outbox.of("s")).toEqual([{ ...HELLO, key: "key1", failure: null }]);
  const later = setUp({ storage });
  expect(later.outbox.of("s")).toMatchObject([{ key: "key1", text: "Hello" }]);
  expect(later.outbox.of("s")[0]?.failure).toContain("was closed");
  stuck.resolve();
  await sending;
});

it("a message in flight is not sent twice", async () => {
  const { outbox, sent, answers } = setUp();
  const stuck = Promise.withResolvers<void>();
  answers.push(() => stuck.promise);
  const sending = outbox.send("s", HELLO);
  await outbox.retry("s", "key1");
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
