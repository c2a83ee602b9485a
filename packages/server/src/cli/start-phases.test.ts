import { expect, it } from "vitest";
import { createStartPhases, noteLoading } from "./start-phases.ts";

it("is silent about a fast step, and returns its result", async () => {
  const lines: string[] = [];
  const phases = createStartPhases({ print: (line) => lines.push(line), slowMs: 60_000 });
  expect(await phases.run("opening", async () => 7)).toBe(7);
  expect(lines).toEqual([]);
});

it("says what a slow step is doing, again after a while, and how long it took", async () => {
  const lines: string[] = [];
  const twice = Promise.withResolvers<void>();
  const print = (line: string): void => {
    lines.push(line);
    if (lines.length === 2) twice.resolve();
  };
  await createStartPhases({ print, slowMs: 5 }).run("opening", () => twice.promise);
  const soFar = expect.stringMatching(/^starting: opening, \d+ s so far$/u);
  expect(lines.slice(0, 2)).toEqual([soFar, soFar]);
  expect(lines.at(-1)).toMatch(/^starting: opening, took \d+ s$/u);
});

it("names a step that blocked the thread when it is over, and one that failed", async () => {
  const lines: string[] = [];
  const phases = createStartPhases({ print: (line) => lines.push(line), slowMs: 5 });
  const failing = phases.run("reading", async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    throw new Error("damaged");
  });
  await expect(failing).rejects.toThrow("damaged");
  expect(lines).toEqual(["starting: reading, took 0 s"]);
});

it("tells that loading the program took long", () => {
  const lines: string[] = [];
  noteLoading((line) => lines.push(line), 400);
  noteLoading((line) => lines.push(line), 21_400);
  expect(lines).toEqual(["starting: loading the program, took 21 s"]);
});
