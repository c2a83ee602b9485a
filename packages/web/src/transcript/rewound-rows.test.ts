import type { FeedEvent, Run } from "@holdfast/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { AT, sampleRun } from "../session/testing/samples.ts";
import { framesOnDemand } from "./testing/frames.ts";
import { messageMaker, text, tool } from "./testing/messages.ts";
import { createTranscript, type TranscriptStore } from "./transcript-store.ts";

const COUNTS = { files: 2, added: 3, deleted: 1 };
const run = (id: string, more: Partial<Run> = {}): FeedEvent => ({
  type: "run",
  data: sampleRun(id, more),
});
const keys = ({ rows }: TranscriptStore): string[] => rows.map(({ key }) => key);

/** Runs with a question, a tool call and an answer each: m1 m2 m3, m4 m5 m6, … */
function open(runIds: readonly string[], { pageSize = 200, rewoundRuns = [] as string[] } = {}) {
  const make = messageMaker();
  const messages = runIds.flatMap((runId) => [
    make("user", text("?"), { runId }),
    make("system", tool("Edit"), { runId }),
    make("agent", text("!"), { runId }),
  ]);
  const { frames, next } = framesOnDemand();
  const store = createTranscript({ sessionId: "s", frames, pageSize });
  store.load({ messages, suspensions: [], rewoundRuns });
  const send = (...events: FeedEvent[]): void => {
    for (const event of events) store.apply(event);
    next();
  };
  return { store, send, next, make, messages };
}

it("D7 messages that were taken back are one line, until they return", () => {
  const { store, send } = open(["r1", "r2", "r3"]);
  send(run("r2", { rewoundAt: AT }), run("r3", { rewoundAt: AT }));
  expect(keys(store)).toEqual(["m1", "+m2", "m3", "-m4"]);
  expect(store.rows.at(-1)).toMatchObject({ row: "rewound", count: 4 });
  send(run("r2"), run("r3"));
  expect(keys(store)).toEqual(["m1", "+m2", "m3", "m4", "+m5", "m6", "m7", "+m8", "m9"]);
});

it("D7 the line unfolds its messages in order, and folds them again", () => {
  const { store } = open(["r1", "r2", "r3"], { rewoundRuns: ["r2"] });
  expect(keys(store)).toEqual(["m1", "+m2", "m3", "-m4", "m7", "+m8", "m9"]);
  store.setOpen("-m4", true);
  expect(keys(store)).toEqual(["m1", "+m2", "m3", "-m4", "m4", "+m5", "m6", "m7", "+m8", "m9"]);
  store.setOpen("-m4", false);
  expect(keys(store)).toEqual(["m1", "+m2", "m3", "-m4", "m7", "+m8", "m9"]);
});

it("D7 a link to a message that was taken back unfolds it; steps between messages leave it out", () => {
  const { store } = open(["r1", "r2", "r3"], { rewoundRuns: ["r2"] });
  expect(store.stepUser("m1", 1)).toBe("m7");
  const index = store.revealMessage("m6");
  expect(store.rows[index]?.key).toBe("m6");
});

it("D7 a fold is not cut where the loaded part begins", () => {
  const { store, send } = open(["r1", "r2", "r3"], { pageSize: 2 });
  expect(keys(store)).toEqual(["+m8", "m9"]);
  send(run("r2", { rewoundAt: AT }), run("r3", { rewoundAt: AT }));
  expect(keys(store)).toEqual(["-m4"]);
  store.revealOlder();
  expect(keys(store)).toEqual(["+m2", "m3", "-m4"]);
});

it("D7 a run that changed files ends with a line that says so, also when it was read later", () => {
  const { store, send, next, make } = open(["r1", "r2"]);
  send(run("r2", { changes: COUNTS }), run("r1", { changes: { ...COUNTS, files: 0 } }));
  expect(keys(store)).toEqual(["m1", "+m2", "m3", "m4", "+m5", "m6", "=r2"]);
  expect(store.rows.at(-1)).toMatchObject({ row: "changes", runId: "r2", counts: COUNTS });
  send({ type: "message", data: make("user", text("next"), { runId: "r3" }) });
  send({ type: "message", data: make("system", text("late"), { runId: "r2" }) });
  expect(keys(store).slice(-4)).toEqual(["m6", "m7", "m8", "=r2"]);
  store.takeRuns([sampleRun("r1", { changes: COUNTS }), sampleRun("r3", { changes: COUNTS })]);
  next();
  expect(keys(store).slice(-4)).toEqual(["m7", "=r3", "m8", "=r2"]);
  expect(keys(store)).not.toContain("=r1");
});

const step = fc.oneof(
  fc.record({ do: fc.constant("say" as const), run: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("tool" as const), run: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    do: fc.constant("run" as const),
    run: fc.integer({ min: 1, max: 4 }),
    isRewound: fc.boolean(),
    files: fc.integer({ min: 0, max: 1 }),
  }),
  fc.record({ do: fc.constant("older" as const), run: fc.constant(0) }),
  fc.record({ do: fc.constant("frame" as const), run: fc.constant(0) }),
);

it("D7 after any events the rows are those of the session read again", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { store, send, make, messages } = open(["r1", "r2"], { pageSize: 3 });
      const runs = new Map<string, Run>();
      for (const each of steps) {
        const runId = `r${each.run}`;
        if (each.do === "frame") send();
        else if (each.do === "older") store.revealOlder();
        else if (each.do === "run") {
          const changes = { ...COUNTS, files: each.files };
          const now = sampleRun(runId, { changes, rewoundAt: each.isRewound ? AT : null });
          runs.set(runId, now);
          store.apply({ type: "run", data: now });
        } else {
          const content = each.do === "say" ? text("!") : tool("Edit");
          const message = make(each.do === "say" ? "agent" : "system", content, { runId });
          messages.push(message);
          store.apply({ type: "message", data: message });
        }
      }
      send();
      while (store.hasOlder) store.revealOlder();
      const { frames, next } = framesOnDemand();
      const fresh = createTranscript({ sessionId: "s", frames });
      const rewound = [...runs.values()].filter(({ rewoundAt }) => rewoundAt !== null);
      const rewoundRuns = rewound.map(({ id }) => id);
      fresh.load({ messages, suspensions: [], rewoundRuns });
      fresh.takeRuns([...runs.values()]);
      next();
      expect(store.rows).toEqual(fresh.rows);
    }),
    { numRuns: 300 },
  );
});
