import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { fakeTerminal } from "./testing/fake-terminal.ts";
import { canAsk, terminalOf, wantsColour } from "./terminal.ts";

describe("colour", () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ])("of a terminal (%s) with %j is %s", (isTerminal, env, expected) => {
    expect(wantsColour(isTerminal, env)).toBe(expected);
  });
});

describe("a terminal", () => {
  it("asks only when keys can be read and the question is visible", () => {
    const { terminal } = fakeTerminal({ isTerminal: true, isOutTerminal: false });
    const { terminal: pipe } = fakeTerminal({ isTerminal: false });
    expect([
      canAsk(terminal),
      canAsk({ ...terminal, stdin: pipe.stdin }),
      canAsk({ ...terminal, stderr: pipe.stderr }),
    ]).toEqual([true, false, false]);
  });

  it("uses the streams of the process, with 80 columns by default", () => {
    const stream = new PassThrough();
    const { stdout, stderr } = terminalOf({
      stdin: stream,
      stdout: stream,
      stderr: Object.assign(new PassThrough(), { isTTY: true, columns: 0 }),
      env: {},
      on: () => {},
      off: () => {},
    } as unknown as Parameters<typeof terminalOf>[0]);
    expect([stdout.isTerminal, stdout.colour, stdout.columns()]).toEqual([false, false, 500]);
    expect([stderr.isTerminal, stderr.colour, stderr.columns()]).toEqual([true, true, 80]);
  });
});
