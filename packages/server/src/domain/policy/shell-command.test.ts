import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../testing/cpu-time.ts";
import { guessShell, quoteWords, readShell } from "./shell-command.ts";

const texts = (line: string): readonly (string | null)[] => readShell(line).map(({ text }) => text);
const names = (line: string): readonly string[] => readShell(line).flatMap((part) => part.names);

describe("a line of shell", () => {
  it.each([
    ["git status", ["git status"]],
    ["  git\tstatus  ", ["git status"]],
    ["a; b && c || d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]],
    [`echo "a; b" 'c && d'`, ["echo 'a; b' 'c && d'"]],
    [`'git' "sta"tus`, ["git status"]],
    [String.raw`g\it status`, ["git status"]],
    [`'git status'`, ["'git status'"]],
    [String.raw`echo "a\"b" 'it'\''s'`, [String.raw`echo 'a"b' 'it'\''s'`]],
    ["bash -lc 'git status && ls'", ["git status", "ls"]],
    ["/bin/sh -c 'bash -c ls'", ["ls"]],
    ["echo a#b", ["echo 'a#b'"]],
  ])("is split into commands: %s", (line, expected) => {
    expect(texts(line)).toEqual(expected);
  });

  it.each([
    "git status $(rm x)",
    "git status `rm x`",
    'echo "$(rm x)"',
    'echo "`rm x`"',
    "echo $HOME",
    "ls > x",
    "ls < x",
    "ls 2>&1",
    "cat <<EOF\nx\nEOF",
    "(rm x)",
    "{ rm x; }",
    "ls {a,b}",
    "! ls",
    "ls # rest",
    "echo 'open",
    'echo "open',
    "ls \\",
    "ls \\\n-l",
    'echo "a\\\nb"',
    "ls\rrm x",
    "ls\u00A0x",
    "ls\u0007",
    `ls ${"a".repeat(4_000)}`,
    "",
    "   ",
  ])("has no text if a shell may interpret it: %j", (line) => {
    expect(texts(line)).toEqual([null]);
  });

  it.each([
    ["PATH=/tmp git status", [null]],
    ["/bin/r? x", [null]],
    ["~/x y", [null]],
    ["for i in a; do rm x; done", [null, null, null]],
    ['bash -c \'bash -c "bash -c \\"bash -c ls\\""\'', [null]],
    ["bash -c 'ls $(rm x)'", [null]],
    [`sudo ${"-a ".repeat(20)} rm x`, [null]],
  ])("has no text if its words may be more than words: %s", (line, expected) => {
    expect(texts(line)).toEqual(expected);
  });

  it.each([
    "rm -rf x",
    "/bin/rm -rf x",
    `'rm' -rf x`,
    String.raw`r\m -rf x`,
    "A=1 rm -rf x",
    "ls; rm -rf x",
    "sudo rm -rf x",
    "sudo -u me env A=1 rm -rf x",
    "bash -c 'rm -rf x'",
    "bash -c 'ls && sudo rm -rf x'",
    "bash -x -c 'rm -rf x' > y",
    "eval 'rm -rf x'",
    "if true; then rm -rf x; fi",
    "echo $(rm -rf x)",
    "echo `rm -rf x`",
    "(cd y; rm -rf x)",
    "ls | xargs rm -rf x",
    "time rm -rf x",
  ])("is matched by the command that it would run: %s", (line) => {
    expect(names(line)).toContain("rm -rf x");
  });

  it("does not match commands that it only mentions", () => {
    expect(names("echo 'a; rm -rf x'")).not.toContain("rm -rf x");
    expect(names("git rm -rf x")).not.toContain("rm -rf x");
  });

  it("has no text if it is only a description", () => {
    expect(guessShell("rm -rf x (tidies up)")).toEqual([
      { text: null, names: ["rm -rf x", "tidies up"] },
    ]);
  });

  it("has exactly the words it was quoted from", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ -~]{0,6}$/u), { minLength: 1 }), (words) => {
        const line = quoteWords(["echo", ...words]);
        expect(texts(line)).toEqual([line]);
      }),
    );
  });

  it("never has a text with special characters in it", () => {
    const odd = fc.constantFrom("$(x)", "`x`", "$x", ">x", "<x", "(x)", "{x}", "!", "\r", "\u2028");
    const word = fc.stringMatching(/^[a-z -]{0,8}$/u);
    fc.assert(
      fc.property(word, odd, word, (before, oddity, after) => {
        expect(texts(`a${before}${oddity}${after}`)).toEqual([null]);
        expect(texts(`a "${before}$(x)${after}"`)).toEqual([null]);
      }),
    );
  });

  it("is read quickly, and never throws", () => {
    const ms = cpuMs(() => {
      for (const piece of ["sudo ", "bash -c '", "'", '"', "\\", ";", "a;", "env A=1 "]) {
        expect(readShell(piece.repeat(4_000 / piece.length)).length).toBeGreaterThan(0);
      }
    });
    expect(ms).toBeLessThan(2_000);
    fc.assert(fc.property(fc.string(), (line) => void readShell(line)));
  });
});
