import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankFiles } from "./rank-files.ts";

const PATHS = [
  "README.md",
  "src/parse.ts",
  "src/parse.test.ts",
  "src/reparse.ts",
  "parser/index.ts",
  "docs/sparse-notes.md",
  "src/Page.tsx",
  "lib/p/a/rs/e.ts",
];

describe("files by letters of their paths", () => {
  it.each([
    [
      "parse",
      [
        "src/parse.ts",
        "src/parse.test.ts",
        "src/reparse.ts",
        "docs/sparse-notes.md",
        "parser/index.ts",
        "lib/p/a/rs/e.ts",
      ],
    ],
    ["src/pa", ["src/Page.tsx", "src/parse.ts", "src/parse.test.ts", "src/reparse.ts"]],
    ["PAGE", ["src/Page.tsx"]],
    ["rdm", ["README.md"]],
    ["ptest", ["src/parse.test.ts"]],
    [
      "ps.ts",
      ["src/parse.ts", "src/reparse.ts", "src/parse.test.ts", "lib/p/a/rs/e.ts", "parser/index.ts"],
    ],
    ["nowhere", []],
  ])("%j are %j", (query, expected) => {
    expect(rankFiles(PATHS, { query, limit: 10 })).toEqual(expected);
  });

  it("are those with the shortest paths when nothing is typed yet", () => {
    expect(rankFiles(PATHS, { query: "", limit: 3 })).toEqual([
      "README.md",
      "src/Page.tsx",
      "src/parse.ts",
    ]);
  });

  it("are never more than asked for, each once, and each has the letters", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1 })),
        fc.string(),
        fc.integer({ min: 1, max: 5 }),
        (paths, query, limit) => {
          const found = rankFiles(paths, { query, limit });
          expect(found.length).toBeLessThanOrEqual(limit);
          expect(new Set(found).size).toBe(found.length);
          for (const path of found) {
            let rest = path.toLowerCase();
            for (const letter of query.toLowerCase()) {
              expect(rest).toContain(letter);
              rest = rest.slice(rest.indexOf(letter) + letter.length);
            }
          }
        },
      ),
    );
  });
});
