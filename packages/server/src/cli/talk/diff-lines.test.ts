import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";

const shown = (oldText: string | null, newText: string) => {
  const { added, removed, lines } = diffLines({ path: "a.ts", oldText, newText });
  return { added, removed, lines: lines.map(({ mark, text }) => `${mark}${text}`) };
};
const numbered = (...names: readonly (string | number)[]) => `${names.join("\n")}\n`;

describe("a diff", () => {
  it("has the changed lines and two lines of context", () => {
    const before = numbered(1, 2, 3, 4, 5, 6, 7, 8, 9);
    expect(shown(before, before.replace("5", "five"))).toEqual({
      added: 1,
      removed: 1,
      lines: ["…", " 3", " 4", "-5", "+five", " 6", " 7", "…"],
    });
  });

  it("has every line of a new or emptied file, and none for an unchanged file", () => {
    expect(shown(null, "a\nb\n")).toEqual({ added: 2, removed: 0, lines: ["+a", "+b"] });
    expect(shown("a\nb", "")).toEqual({ added: 0, removed: 2, lines: ["-a", "-b"] });
    expect(shown("a\n", "a\n")).toEqual({ added: 0, removed: 0, lines: ["…"] });
  });

  it("shows texts that are too long to compare as replaced", () => {
    const many = (name: string) =>
      numbered(...Array.from({ length: 600 }, (_, at) => `${name}${at}`));
    const { added, removed } = shown(`top\n${many("a")}end\n`, `top\n${many("b")}end\n`);
    expect([added, removed]).toEqual([600, 600]);
  });

  it("transforms one text into the other", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const {
          lines: all,
          added,
          removed,
        } = diffLines({
          path: "",
          oldText: before.map((line) => `${line}\n`).join(""),
          newText: after.map((line) => `${line}\n`).join(""),
        });
        expect(after.length - before.length).toBe(added - removed);
        expect(all.filter(({ mark }) => mark === "+")).toHaveLength(added);
        expect(all.filter(({ mark }) => mark === "-")).toHaveLength(removed);
      }),
    );
  });
});
