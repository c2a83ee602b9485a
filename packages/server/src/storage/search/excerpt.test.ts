import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../domain/testing/cpu-time.ts";
import { excerptOf } from "./excerpt.ts";
import { searchWords } from "./search-words.ts";

/** The excerpt with its marks in brackets. */
function marked(text: string, search: string): string {
  const excerpt = excerptOf(text, searchWords(search));
  let shown = "";
  let end = 0;
  for (const mark of excerpt.marks) {
    shown += `${excerpt.text.slice(end, mark.start)}[${excerpt.text.slice(mark.start, mark.end)}]`;
    end = mark.end;
  }
  return shown + excerpt.text.slice(end);
}

describe("an excerpt", () => {
  it.each([
    ["Fix the builder", "BUILD", "Fix the [build]er"],
    ["Rebuild the build", "build", "Rebuild the [build]"],
    ["Crème Bru\u0302le\u0301e!", "creme brulee", "[Crème] [Bru\u0302le\u0301e]!"],
    ["ΣΊΣΥΦΟΣ", "σισ", "[ΣΊΣ]ΥΦΟΣ"],
    ["ﬁnal", "f", "[ﬁ]nal"],
    ["½ a pint", "1 2", "[½] a pint"],
    ["東京タワー 𠮷野家", "東京 𠮷", "[東京]タワー [𠮷]野家"],
    ["src/parse.ts:12", "parse.ts", "src/[parse].[ts]:12"],
    ["one\n\n\ttwo\0three", "two", "one [two] three"],
    ["test tests", "tests test", "[test] [tests]"],
    ["nothing of it", "else", "nothing of it"],
    ["<mark>html</mark>", "html", "<mark>[html]</mark>"],
    ["", "a", ""],
  ])("of %j for %j is %j", (text, search, expected) => {
    expect(marked(text, search)).toBe(expected);
  });

  it("is the part with the most different words", () => {
    const far = "x ".repeat(300);
    const text = `alpha ${far} beta ${far} alpha and beta ${far} beta`;
    expect(marked(text, "alpha beta")).toMatch(/^…[x ]+\[alpha\] and \[beta\][x ]+…$/u);
  });

  it("is cut between words, or between characters of one that is too long", () => {
    const words = marked(`${"word ".repeat(100)}found${" word".repeat(100)}`, "found");
    expect(words).toMatch(/^…(word )+\[found\]( word)+…$/u);
    const faces = marked(`${"😀".repeat(300)} found ${"😀".repeat(300)}`, "found");
    expect(faces).toMatch(/^…(😀)+ \[found\] (😀)+…$/u);
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2_000 }),
    fc
      .array(
        fc.constantFrom("alpha", "Älpha", "beta", "ﬁ", "½", "𠮷", "x".repeat(300), "e\u0301"),
        {
          maxLength: 400,
        },
      )
      .map((words) => words.join(" ")),
  );

  it("is never longer than 240 characters; its marks are words, in order, without overlap", () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("alpha", "a b", "beta alpha", "f 1", "x e 𠮷"),
        (of, search) => {
          const words = searchWords(search);
          const excerpt = excerptOf(of, words);
          expect(excerpt.text.length).toBeLessThanOrEqual(240);
          expect(excerpt.text).not.toMatch(/[\p{Cc}\n]/u);
          let end = 0;
          for (const mark of excerpt.marks) {
            expect(mark.start).toBeGreaterThanOrEqual(end);
            expect(mark.end).toBeGreaterThan(mark.start);
            end = mark.end;
            const [first = ""] = searchWords(excerpt.text.slice(mark.start, mark.end));
            expect(words.some((word) => first.startsWith(word))).toBe(true);
          }
          expect(end).toBeLessThanOrEqual(excerpt.text.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("has a mark whenever the text contains one of the words", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const of = `${before.slice(0, 1_000)} needle ${after}`;
        expect(marked(of, "needle")).toContain("[needle]");
      }),
    );
  });

  it("of a text that consists of hits is fast", () => {
    const ms = cpuMs(() => {
      expect(marked("a ".repeat(16_000), "a b c")).toContain("[a] [a]");
    });
    expect(ms).toBeLessThan(500);
  });
});
