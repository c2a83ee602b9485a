import type { StreamEvent } from "@holdfast/client";
import { expect, it } from "vitest";
import { pastStart, readPastRuns } from "./past-runs.ts";
import { sampleMessage, sampleRun } from "./testing/samples.ts";

/** Like a stream: what is there, then nothing until it is stopped. */
function streamOf(events: readonly StreamEvent[]) {
  const requests: unknown[] = [];
  return {
    requests,
    async *events(_: string, options: { after?: unknown; signal?: AbortSignal | undefined } = {}) {
      requests.push(options.after);
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

it("reads all runs of a short session up to its opening", async () => {
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
  expect(stream.requests).toEqual([0]);
});

it("reads the last runs of a long session and marks them as incomplete", async () => {
  const stream = streamOf([run("r9", "1000")]);
  expect(await readPastRuns(stream, { id: "s", after: 600, until: 1_000, signal })).toEqual({
    runs: [sampleRun("r9")],
    complete: false,
  });
  expect(stream.requests).toEqual([600]);
});

it("reads nothing of a new session", async () => {
  const stream = streamOf([]);
  expect(await readPastRuns(stream, { id: "s", after: 0, until: 0, signal })).toEqual({
    runs: [],
    complete: true,
  });
  expect(stream.requests).toEqual([]);
});

it("limits the re-read part of the log in entries and size", () => {
  const message = (seq: number, size: number) =>
    sampleMessage(`m${seq}`, { seq, content: { type: "text", text: "x".repeat(size) } });
  expect(pastStart([message(1, 10), message(5, 10)], 9)).toBe(0);
  expect(pastStart([message(1, 10), message(995, 10)], 1_000)).toBe(600);
  const large = [message(2, 150_000), message(4, 150_000), message(6, 10)];
  expect(pastStart(large, 8)).toBe(2);
});
