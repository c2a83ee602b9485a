import { expect, it } from "vitest";
import { dayText, seenText } from "./mark-texts.ts";
import { framesOnDemand } from "../testing/frames.ts";
import { messageMaker, text, tool } from "../testing/messages.ts";
import { createTranscript } from "../transcript-store.ts";

const at = (day: number, hour = 12): string => new Date(2026, 0, day, hour).toISOString();
const now = new Date(2026, 0, 5, 18);

function open(options: { readonly seenAt?: string; readonly today?: Date } = {}) {
  const make = messageMaker();
  const { frames, next } = framesOnDemand();
  const all = [1, 1, 2, 4, 4].map((day, index) =>
    make("user", text(`message ${index}`), { timestamp: at(day, 10 + index) }),
  );
  const store = createTranscript({
    sessionId: "s",
    frames,
    readEarlier: async (before) => ({
      messages: all.filter(({ seq }) => seq < before),
      decisions: [],
    }),
    ...options,
  });
  const keys = (): readonly string[] => store.rows.map(({ key }) => key);
  return { store, make, next, all, keys };
}

it("a line stands between messages of different days, and at the start on another day", () => {
  const { store, all, keys } = open({ today: now });
  store.load({ messages: [...all], suspensions: [] });
  expect(keys()).toEqual(["day/m1", "m1", "m2", "day/m3", "m3", "day/m4", "m4", "m5"]);
});

it("a day begins while the page is open, also within the work of an agent", () => {
  const { store, all, make, next, keys } = open();
  store.load({ messages: all.slice(0, 2), suspensions: [] });
  store.apply({ type: "message", data: make("system", tool("a"), { timestamp: at(1, 23) }) });
  store.apply({ type: "message", data: make("system", tool("b"), { timestamp: at(2, 1) }) });
  next();
  expect(keys()).toEqual(["m1", "m2", "+m6", "day/m7", "+m7"]);
});

it("a line stands above what is new since the last visit, and what comes later moves nothing", () => {
  const { store, all, make, next, keys } = open({ seenAt: at(4, 13) });
  store.load({ messages: [...all], suspensions: [] });
  const shown = ["m1", "m2", "day/m3", "m3", "day/m4", "m4", "new/m5", "m5"];
  expect(keys()).toEqual(shown);
  store.apply({ type: "message", data: make("user", text("more"), { timestamp: at(4, 16) }) });
  next();
  expect(keys()).toEqual([...shown, "m6"]);
  store.load({ messages: [...all], suspensions: [] });
  expect(keys()).toEqual(shown);
});

it("the line above what is new is found when older messages are loaded", async () => {
  const { store, all, keys } = open({ seenAt: at(1, 11) });
  store.load({ messages: all.slice(3), suspensions: [], earlier: 3 });
  expect(keys()).toEqual(["m5"]);
  await store.earlier.load();
  store.revealOlder();
  expect(keys()).toEqual(["m1", "m2", "day/m3", "new/m3", "m3", "day/m4", "m4", "m5"]);
});

it.each([
  [at(5, 9), "Today", "09:00"],
  [at(4, 9), "Yesterday", "yesterday, 09:00"],
  [at(1, 9), "Thursday, January 1", "Thursday, January 1, 09:00"],
  [new Date(2025, 11, 31, 9).toISOString(), "December 31, 2025", "December 31, 2025, 09:00"],
])("%s is %s", (time, day, seen) => {
  expect([dayText(time, now), seenText(time, now)]).toEqual([day, seen]);
});
