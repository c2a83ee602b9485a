import { describe, expect, it } from "vitest";
import { plainOutput, terminalEnd, terminalText } from "./terminal-text.ts";

const RED = "\u001B[31m";
const OFF = "\u001B[0m";

describe("what a terminal shows", () => {
  it.each([
    ["progress lines overwrite each other", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["the end of a line of Windows is one line end", "one\r\ntwo\r\r\n", "one\ntwo\n"],
    ["a carriage return at the end hides nothing", "half\r", "half"],
    ["colours of an overwritten line stay", `${RED}10%\r100%${OFF}`, `${RED}100%${OFF}`],
    ["a reset after a carriage return is no content", `${RED}all\r${OFF}`, `${RED}all${OFF}`],
    ["titles, links and cursor movements are left out", "\u001B]0;x\u0007a\u001B[2Kb", "ab"],
  ])("%s", (_, output, shown) => {
    expect(terminalText(output)).toBe(shown);
  });

  it("is copied without codes", () => {
    expect(plainOutput(`${RED}red${OFF}\r\n1%\r2%`)).toBe("red\n2%");
  });
});

describe("the end of an output", () => {
  it("has the last lines and says how many there are", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
    const end = terminalEnd(text, 20);
    expect({ ...end, text: end.text.split("\n").slice(0, 2) }).toEqual({
      text: ["line 80", "line 81"],
      lines: 100,
      isWhole: false,
    });
  });

  it("is the whole output if that is not much longer", () => {
    const text = "line\n".repeat(24);
    expect(terminalEnd(text, 20)).toEqual({ text, lines: 25, isWhole: true });
  });

  it("begins with the colours set before", () => {
    const text = `${RED}${"line\n".repeat(100)}${OFF}`;
    expect(terminalEnd(text, 20).text.startsWith(`${RED}line`)).toBe(true);
    const plain = `${RED}red${OFF}${"line\n".repeat(100)}`;
    expect(terminalEnd(plain, 20).text.startsWith("line")).toBe(true);
  });

  it("never begins inside a code", () => {
    const long = "x".repeat(300) + RED + "y".repeat(198);
    expect(terminalEnd(long, 1).text).toBe(RED + "y".repeat(198));
  });
});
