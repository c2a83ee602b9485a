import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../testing/cpu-time.ts";
import { matchesGlob } from "./glob.ts";

describe("a pattern for paths", () => {
  it.each([
    ["a.txt", "a.txt", true],
    ["a.txt", "b/a.txt", false],
    ["*.txt", "a.txt", true],
    ["*.txt", ".txt", true],
    ["*.txt", "b/a.txt", false],
    ["src/*", "src/a", true],
    ["src/*", "src/a/b", false],
    ["src/**", "src/a/b", true],
    ["src/**", "src", false],
    ["src/**", "srcs/a", false],
    ["**/*.md", "a.md", true],
    ["**/*.md", "b/c/a.md", true],
    ["**/*.md", "/etc/a.md", true],
    ["**/*.md", "b/c/amd", false],
    ["src/**/test/*.ts", "src/test/a.ts", true],
    ["src/**/test/*.ts", "src/x/y/test/a.ts", true],
    ["src/**/test/*.ts", "src/xtest/a.ts", false],
    ["**", "a/b/c", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a?c", "a😀c", true],
    ["[ab].txt", "a.txt", false],
    ["a.c", "abc", false],
    ["", "", true],
    ["", "a", false],
  ])("%s covers %s: %s", (pattern, path, expected) => {
    expect(matchesGlob(pattern, path, "path")).toBe(expected);
  });
});

describe("a pattern for texts", () => {
  it.each([
    ["rm *", "rm -rf a/b", true],
    ["rm *", "rmdir a", false],
    ["*", "", true],
    ["git * --force", "git push --force", true],
    ["git * --force", "git push --forced", false],
    ["a**b", "ab", true],
    ["a?c", "a/c", true],
  ])("%s covers %s: %s", (pattern, text, expected) => {
    expect(matchesGlob(pattern, text, "text")).toBe(expected);
  });

  it("matches the same texts as an equivalent regular expression", () => {
    const piece = fc.constantFrom("a", "b", "*", "?");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
        fc.array(fc.constantFrom("a", "b"), { maxLength: 8 }).map((pieces) => pieces.join("")),
        (pattern, text) => {
          const meaning = pattern.replaceAll("*", ".*").replaceAll("?", ".");
          expect(matchesGlob(pattern, text, "text")).toBe(
            new RegExp(`^${meaning}$`, "su").test(text),
          );
        },
      ),
    );
  });

  it.each(["text", "path"] as const)("is matched quickly: %s", (kind) => {
    const ms = cpuMs(() => {
      const pattern = `${"*a".repeat(60)}${"**/".repeat(20)}b`;
      expect(matchesGlob(pattern, "a".repeat(4_000), kind)).toBe(false);
      expect(matchesGlob("*?".repeat(100), "a/".repeat(2_000), kind)).toBe(kind === "text");
    });
    expect(ms).toBeLessThan(2_000);
  });
});
