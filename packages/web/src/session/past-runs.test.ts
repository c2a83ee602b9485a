import type { StreamEvent } from "@holdfast/client";
import { expect, it } from "vitest";
import { pastStart, readPastRuns } from "./past-runs.ts";
import { sampleMessage, sampleRun } from "./testing/samples.ts";

/** Like a stream: what is there, then nothing until it is stopped. */
function streamOf(events: readonly StreamEvent[]) {
  const asked: unknown[] = [];
  return {
    asked,
    async *events(_: string, options: { after?: unknown; signal?: AbortSignal | undefined } = {}) {
      asked.push(options.after);
      for (const event of events) {
        if (options.signal?.aborted === true) return;
        yield event;
      }
      const { signal } = options;
      if (signal === undefined || signal.aborted) return;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
}
const { signal } = new AbortController();
const run = (id: string, at: string): StreamEvent => ({ id: at, type: "run", data: sampleRun(id) });

it("all runs of a short session are read, and nothing after it was opened", async () => {
  const stream = streamOf([
    run("r1", "2"),
    { id: "3", type: "message", data: sampleMessage("m") },
    run("r2", "4"),
    run("r3", "5"),
  ]);
  expect(await readPastRuns(stream, { id: "s", after: 0, until: 4, signal })).toEqual({
    runs: [sampleRun("r1"), sampleRun("r2")],
    complete: true,
  });
  expect(stream.asked).toEqual([0]);
});

it("of a long session the last runs are read, and it is said that there are more", async () => {
  const stream = streamOf([run("r9", "1000")]);
  expect(await readPastRuns(stream, { id: "s", after: 600, until: 1_000, signal })).toEqual({
    runs: [sampleRun("r9")],
    complete: false,
  });
  expect(stream.asked).toEqual([600]);
});

it("a new session is not asked for anything", async () => {
  const stream = streamOf([]);
  expect(await readPastRuns(stream, { id: "s", after: 0, until: 0, signal })).toEqual({
    runs: [],
    complete: true,
  });
  expect(stream.asked).toEqual([]);
});

it("what is read again is bounded in entries and in size", () => {
  const message = (seq: number, size: number) =>
    sampleMessage(`m${seq}`, { seq, content: { type: "text", text: "x".repeat(size) } });
  expect(pastStart([message(1, 10), message(5, 10)], 9)).toBe(0);
  expect(pastStart([message(1, 10), message(995, 10)], 1_000)).toBe(600);
  const large = [message(2, 150_000), message(4, 150_000), message(6, 10)];
  expect(pastStart(large, 8)).toBe(2);
});
