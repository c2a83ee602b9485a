import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { needProgram } from "../../../domain/testing/machine.ts";
import { repeat } from "../../../domain/testing/repeat.ts";
import { parsePatterns } from "./ignore-pattern.ts";

describe("patterns of files to copy", () => {
  it.each<[string[], string, boolean]>([
    [[".env"], ".env", true],
    [[".env"], "deep/.env", true],
    [["/.env"], "deep/.env", false],
    [["config/*.local.json"], "config/a.local.json", true],
    [["config/*.local.json"], "x/config/a.local.json", false],
    [["**/.env.*"], ".env.test", true],
    [["**/.env.*"], "a/b/.env.test", true],
    [["config/"], "config/a/b", true],
    [["config/"], "config", false],
    [["*", "!.env"], ".env", false],
    [["a/**/b"], "a/b", true],
    [["ü?"], Buffer.from("üx").toString("latin1"), true],
    [["# no", "", "  "], "# no", false],
  ])("D7: choose as in a .gitignore: %j and %s", (lines, file, expected) => {
    expect(parsePatterns(lines).matches(file)).toBe(expected);
  });

  it("D7: search only the ignored folders that they name", () => {
    const patterns = parsePatterns([
      ".env",
      "**/.env.*",
      "config/*.json",
      "a/**/b",
      "!node_modules/x",
    ]);
    const folders = ["config/", "a/", "a/c/d/", "node_modules/", "config/deep/", "other/"];
    expect(folders.filter((folder) => patterns.mayMatchIn(folder))).toEqual([
      "config/",
      "a/",
      "a/c/d/",
    ]);
  });

  it("D7: take no long time, whatever they are", () => {
    const patterns = parsePatterns(["*a".repeat(200), `${"**/".repeat(50)}x`, "[[[", "[z-a]"]);
    expect(patterns.matches(`${"a".repeat(2_000)}b`)).toBe(false);
    expect(patterns.matches(`${"a/".repeat(200)}b`)).toBe(false);
  });

  it("D7: agree with Git", () => {
    needProgram("git");
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-patterns-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    execFileSync("git", ["init", "--quiet", folder]);
    const name = fc.string({
      unit: fc.constantFrom("a", "b", ".", "-"),
      minLength: 1,
      maxLength: 3,
    });
    const part = fc.oneof(
      { weight: 3, arbitrary: name },
      fc.string({
        unit: fc.constantFrom("a", "b", "*", "?", ".", "[ab]", "[!a]", "[a-b]", "\\a", "[", "]"),
        minLength: 1,
        maxLength: 4,
      }),
      fc.constantFrom("*", "**"),
    );
    const line = fc
      .tuple(
        fc.constantFrom("", "", "!", "/"),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "/"),
      )
      .map(([start, parts, end]) => `${start}${parts.join("/")}${end}`)
      .filter((each) => !/\[[^\]]*\//u.test(each.replaceAll("[]", "[")));
    const isPlain = (each: string): boolean => each !== "." && each !== ".." && each !== ".git";
    const file = fc
      .array(name.filter(isPlain), { minLength: 1, maxLength: 3 })
      .map((names) => names.join("/"));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.array(file, { minLength: 1, maxLength: 20 }),
        (lines, files) => {
          writeFileSync(path.join(folder, ".gitignore"), lines.map((each) => `${each}\n`).join(""));
          const { stdout } = spawnSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
            cwd: folder,
            input: files.map((each) => `${each}\0`).join(""),
            encoding: "utf8",
          });
          const ignored = new Set(stdout.split("\0"));
          const { matches } = parsePatterns(lines);
          expect(files.filter(matches)).toEqual(files.filter((each) => ignored.has(each)));
        },
      ),
      { numRuns: repeat({ short: 200, long: 5_000 }) },
    );
  });
});
