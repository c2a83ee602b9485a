import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readFrames } from "./frame-reader.ts";
import { SLICE_MS } from "./share.ts";

const lineOf = (number: number): string =>
  `${JSON.stringify({ jsonrpc: "2.0", method: "n", params: number })}\n`;

/** Time passes only while a line is handled, so that a busy machine changes nothing. */
let now = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => now));
afterEach(() => vi.restoreAllMocks());

function work(ms: number): void {
  now += ms;
}

function paramsOf(frame: unknown): unknown {
  return typeof frame === "object" && frame !== null && "params" in frame ? frame.params : null;
}

describe("a reader of frames", () => {
  it("lets others come in between while it has much to read (P6)", async () => {
    const input = new PassThrough();
    const lines = 40;
    let rounds = 0;
    let isDone = false;
    const countRounds = (): void => {
      rounds += 1;
      if (!isDone) setImmediate(countRounds);
    };
    await new Promise<void>((resolve) => {
      readFrames(input, {
        onFrame: (frame) => {
          if (paramsOf(frame) === 0) countRounds();
          work(SLICE_MS / 2);
          if (paramsOf(frame) === lines - 1) resolve();
        },
        onEnd: () => {},
      });
      input.write(Array.from({ length: lines }, (_, number) => lineOf(number)).join(""));
    });
    isDone = true;
    // Two lines fill a slice.
    expect(rounds).toBeGreaterThanOrEqual(lines / 2 - 2);
  });

  it("takes turns with another that has as much to read (P6)", async () => {
    const order: string[] = [];
    const read = (name: string): Promise<void> => {
      const input = new PassThrough();
      const ended = new Promise<void>((resolve) =>
        readFrames(input, {
          onFrame: () => {
            order.push(name);
            work(SLICE_MS);
          },
          onEnd: () => resolve(),
        }),
      );
      input.end(Array.from({ length: 20 }, (_, number) => lineOf(number)).join(""));
      return ended;
    };
    await Promise.all([read("a"), read("b")]);
    // The first slice of each is taken when its lines arrive; then they alternate.
    const longest = Math.max(...(order.join("").match(/a+|b+/gu) ?? []).map((run) => run.length));
    expect(order).toHaveLength(40);
    expect(longest).toBeLessThanOrEqual(2);
  });

  it("delivers all frames in order before the end, however it is cut and held up (P6)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ cut: fc.nat(60), held: fc.boolean(), slow: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (steps) => {
          const input = new PassThrough();
          const heard: unknown[] = [];
          const ended = new Promise<readonly unknown[]>((resolve) => {
            const reader = readFrames(input, {
              onFrame: (frame) => {
                const number = Number(paramsOf(frame));
                heard.push(number);
                if (steps[number]?.slow === true) work(SLICE_MS);
                if (steps[number]?.held === true) reader.hold(new Promise(setImmediate));
              },
              onEnd: () => resolve([...heard]),
            });
          });
          const text = steps.map((_, number) => lineOf(number)).join("");
          let at = 0;
          for (const { cut } of steps) {
            input.write(text.slice(at, at + cut));
            at += cut;
            if (cut % 2 === 0) await new Promise(setImmediate);
          }
          input.end(text.slice(at));
          expect(await ended).toEqual(steps.map((_, number) => number));
        },
      ),
      { numRuns: 30 },
    );
  });
});
