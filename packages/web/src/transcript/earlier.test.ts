import { MissingMessageError } from "@holdfast/client";
import type { Message } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { framesOnDemand } from "./testing/frames.ts";
import { messageMaker, text, tool } from "./testing/messages.ts";
import { createTranscript } from "./transcript-store.ts";

const make = messageMaker();
/** Every third message is followed by two tool calls. */
const all = Array.from({ length: 60 }, (_, index) =>
  index % 5 > 2 ? make("system", tool(`t${index}`)) : make("user", text(`message ${index}`)),
);

function open(tail: number, page = 10) {
  const reads: number[] = [];
  const store = createTranscript({
    sessionId: "s",
    frames: framesOnDemand().frames,
    pageSize: page,
    readEarlier: async (before) => {
      reads.push(before);
      return { messages: all.filter(({ seq }) => seq < before).slice(-page), decisions: [] };
    },
  });
  const load = (messages: readonly Message[], earlier: number): void =>
    store.load({ messages: [...messages], suspensions: [], earlier });
  load(all.slice(-tail), all.length - tail);
  return { store, reads, load };
}

function keys({ rows }: ReturnType<typeof createTranscript>): readonly string[] {
  return rows.map(({ key }) => key);
}

const whole = open(60, 200);

it("older messages are loaded page by page, and the rows are those of the whole session", async () => {
  const { store, reads } = open(10);
  while (store.hasOlder) {
    store.revealOlder();
    await store.earlier.load();
  }
  expect(store.size).toBe(60);
  expect(keys(store)).toEqual(keys(whole.store));
  expect(reads).toEqual([51, 41, 31, 21, 11]);
});

it.each(Array.from({ length: 12 }, (_, index) => index + 5))(
  "a tail of %i messages never splits the tool calls between two messages",
  async (tail) => {
    const { store } = open(tail);
    const before = keys(store);
    expect(keys(whole.store).slice(-before.length)).toEqual(before);
    await store.earlier.loadUntil("m1");
    store.revealMessage("m1");
    expect(keys(store)).toEqual(keys(whole.store));
  },
);

it("two requests at once read one page", async () => {
  const { store, reads } = open(10);
  await Promise.all([store.earlier.load(), store.earlier.load()]);
  expect(reads).toEqual([51]);
});

it("a message is loaded by its id; an unknown one loads everything and is not found", async () => {
  const { store, reads } = open(10);
  expect(await store.earlier.loadUntil("m33")).toBe(true);
  expect([reads, store.revealMessage("m33") >= 0]).toEqual([[51, 41], true]);
  expect(await store.earlier.loadUntil("nowhere")).toBe(false);
  expect(store.earlier.count).toBe(0);
});

it("a page that cannot be read is read again with the next step", async () => {
  let fails = true;
  const store = createTranscript({
    sessionId: "s",
    readEarlier: async (before) => {
      if (fails) throw new Error("no connection");
      return { messages: all.filter(({ seq }) => seq < before), decisions: [] };
    },
  });
  store.load({ messages: all.slice(-10), suspensions: [], earlier: 50 });
  expect(await store.earlier.load()).toBe(false);
  fails = false;
  expect(await store.earlier.load()).toBe(true);
  expect([store.earlier.count, store.earlier.loading.current()]).toEqual([0, false]);
});

it("reading the session again keeps the loaded messages, without gaps and without duplicates", async () => {
  const { store, load } = open(20);
  await store.earlier.loadUntil("m25");
  const more = [make("user", text("new one")), make("user", text("new two"))];
  load([...all.slice(-8), ...more], 52);
  expect(store.size).toBe(62);
  const ids: string[] = [];
  store.search((id) => ids.push(id));
  expect(ids).toEqual([...all.slice(-40), ...more].map(({ id }) => id));
  const later = Array.from({ length: 5 }, () => make("user", text("much later")));
  load(later, 100);
  const after: string[] = [];
  store.search((id) => after.push(id));
  expect(after).toEqual(later.map(({ id }) => id));
  expect(store.size).toBe(105);
});

it("an event of a message that is not loaded adds nothing; a piece of its text is a fault", () => {
  const { store } = open(10);
  const [, , , old = make("user", text(""))] = all;
  store.apply({ type: "message", data: { ...old, content: text("changed") } });
  expect([store.size, store.message("m4")]).toEqual([60, null]);
  expect(() => store.apply({ type: "delta", data: { messageId: "m4", text: "x" } })).toThrow(
    MissingMessageError,
  );
});
