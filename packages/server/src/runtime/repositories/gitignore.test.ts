import { describe, expect, it } from "vitest";
import { cpuMs } from "../../domain/testing/cpu-time.ts";
import { parseGitignore } from "./gitignore.ts";

/** Git 2 gives these results for the same lines and paths. A path with a slash at its end is a folder. */
describe("the lines of a .gitignore", () => {
  it.each<[lines: string, ignored: readonly string[], others: readonly string[]]>([
    ["dist", ["dist", "dist/", "a/dist", "a/b/dist/"], ["dists", "adist", "Dist"]],
    ["dist/", ["dist/", "a/dist/"], ["dist", "a/dist"]],
    ["/dist", ["dist", "dist/"], ["a/dist"]],
    ["a/b", ["a/b"], ["x/a/b", "b"]],
    ["*.log", ["x.log", "a/.log", "a/b.log"], ["x.logs", "log"]],
    ["a*b*c", ["abc", "axbxbc", "aabbcc"], ["ab", "abcd"]],
    ["?.ts", ["a.ts", "ä.ts", "😀.ts"], [".ts", "ab.ts"]],
    ["[a-c]x", ["ax", "cx"], ["dx", "x", "-x"]],
    ["[!a-c]x", ["dx"], ["ax"]],
    ["[]-]x", ["]x", "-x"], ["ax"]],
    ["[ab", [], ["a", "[ab"]],
    ["**/c", ["c", "a/c", "a/b/c"], ["ac"]],
    ["a/**", ["a/b", "a/b/c"], ["a/", "b/a/c"]],
    ["a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["a/b/cc", "c"]],
    ["a/*", ["a/b", "a/c/"], ["a/b/c", "a/"]],
    ["x**y", ["xy", "xaay"], ["x/y"]],
    ["**", ["a", "a/b"], []],
    ["\\#a\n\\!b", ["#a", "!b"], ["a", "b"]],
    ["a b \n c", ["a b", " c"], ["a b ", "c"]],
    ["a\\ ", ["a "], ["a"]],
    ["# a\n\n/\n", [], ["# a", "a"]],
    ["*.ts\r\n!a.ts\r\n", ["b.ts"], ["a.ts"]],
    ["!a.ts\n*.ts", ["a.ts"], []],
    ["\uFEFFa", ["a"], []],
  ])("%j ignore %j and not %j", (lines, ignored, others) => {
    const rules = parseGitignore(lines);
    const isIgnored = (path: string): boolean =>
      rules.decide(path.replace(/\/$/u, "").split("/"), path.endsWith("/")) === "ignored";
    expect(ignored.filter((path) => !isIgnored(path))).toEqual([]);
    expect(others.filter(isIgnored)).toEqual([]);
  });

  it("say of some that they are kept, and of others nothing", () => {
    const rules = parseGitignore("*.ts\n!a.ts");
    expect(rules.decide(["a.ts"], false)).toBe("kept");
    expect(rules.decide(["a.js"], false)).toBeNull();
  });

  it("keep nobody waiting, whatever they are", () => {
    const deep = Array.from({ length: 100 }, () => "a");
    const ms = cpuMs(() => {
      const rules = parseGitignore(`${"*a".repeat(200)}b\n`.repeat(50) + "**/a/".repeat(90));
      for (let n = 0; n < 20; n += 1) {
        expect(rules.decide(["a".repeat(255)], false)).toBeNull();
        expect(rules.decide(deep, false)).toBeNull();
      }
    });
    expect(ms).toBeLessThan(3_000);
  });
});
