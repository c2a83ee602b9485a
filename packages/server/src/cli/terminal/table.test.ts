import { describe, expect, it } from "vitest";
import { createPaint } from "./paint.ts";
import { tableLines } from "./table.ts";
import { widthOf } from "./text-width.ts";

const paint = createPaint({ colour: false });
const COLUMNS = [
  { title: "ID" },
  { title: "NAME", flexible: true },
  { title: "COMMAND, OR HOW TO INSTALL IT" },
] as const;
const ROWS = [
  [
    "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11",
    "A rather long name",
    "npm install -g @google/gemini-cli",
  ],
  ["demo", "Demo agent", null],
];
const lines = (width: number) => tableLines(ROWS, { columns: COLUMNS, paint, width });

describe("a table", () => {
  it("has aligned columns where they fit", () => {
    expect(lines(120)).toEqual([
      "ID                                    NAME                COMMAND, OR HOW TO INSTALL IT",
      "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11  A rather long name  npm install -g @google/gemini-cli",
      "demo                                  Demo agent          –",
    ]);
  });

  it("shrinks flexible columns first", () => {
    expect(lines(85)[1]).toBe(
      "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11  A rather lo…  npm install -g @google/gemini-cli",
    );
  });

  it("becomes one block per row on a narrow terminal, with nothing lost", () => {
    expect(lines(40)).toEqual([
      "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11",
      "  name: A rather long name",
      "  command, or how to install it: npm",
      "  install -g @google/gemini-cli",
      "demo",
      "  name: Demo agent",
    ]);
  });

  it("puts a mark before the heading, and cuts long flexible cells", () => {
    const columns = [
      { title: "" },
      { title: "CHECK" },
      { title: "ABOUT", flexible: true },
    ] as const;
    const row = ["✓", "a check with a name of thirty!", "word ".repeat(40)];
    const narrow = tableLines([row], { columns, paint, width: 38 });
    expect(narrow).toEqual([
      "✓ a check with a name of thirty!",
      "  about: word word word word word word",
      expect.stringMatching(/^ {2}word .*…$/u),
    ]);
  });

  it.each([200, 100, 80, 60, 40])("fits %i columns", (width) => {
    expect(Math.max(...lines(width).map(widthOf))).toBeLessThanOrEqual(width);
  });
});
