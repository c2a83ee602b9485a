import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonFault, parsePlacedJson } from "./json-places.ts";

describe("JSON with its places", () => {
  it("is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, "\t"), (text, space) => {
        const value: unknown = JSON.parse(text);
        expect(parsePlacedJson(JSON.stringify(value, null, space)).value).toEqual(value);
      }),
    );
  });

  it("refuses what JSON.parse refuses, and nothing but repeated names besides", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"\\u00',
        "1",
        "-",
        "0.5",
        "true",
        " ",
        "\n",
      ),
    );
    fc.assert(
      fc.property(pieces, (words) => {
        const text = words.join("");
        const own = attempt(() => parsePlacedJson(text).value);
        const theirs = attempt(() => JSON.parse(text) as unknown);
        const isTwice = own instanceof JsonFault && own.message === "a name is there twice";
        fc.pre(!isTwice);
        expect(own instanceof JsonFault ? "refused" : own).toEqual(
          theirs instanceof Error ? "refused" : theirs,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("knows the line of everything, or of what is around it", () => {
    const { lineAt } = parsePlacedJson('{\n  "a":\n    [\n      1,\n      {"b": 2}\n    ]\n}\n');
    expect(lineAt([])).toBe(1);
    expect(lineAt(["a"])).toBe(2);
    expect(lineAt(["a", 0])).toBe(4);
    expect(lineAt(["a", 1, "b"])).toBe(5);
    expect(lineAt(["a", 1, "c"])).toBe(5);
    expect(lineAt(["z"])).toBe(1);
  });

  it.each([
    ["", 1, "the file ends too early"],
    ['{\n  "a": 1,\n}', 3, "a name in double quotes is expected"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, "a comma or a closing brace is expected"],
    ['{\n  "a" 1\n}', 2, "a colon is expected after a name"],
    ["[1,\n2", 2, "the file ends too early"],
    ["{\n// no\n}", 2, "a name in double quotes is expected"],
    ['{"a":\nsecret}', 2, "this is no JSON"],
    ['{\n"a": "se\ncret"}', 2, "a text is not closed, or holds a character that must be escaped"],
    ['{"a": 1}\n{}', 2, "something follows after the end"],
    ['{"a": 1,\n"a": 2}', 2, "a name is there twice"],
    [`${"[".repeat(40)}`, 1, "this is nested too deeply"],
  ])("says where %j goes wrong, and repeats nothing of it", (text, line, message) => {
    const fault = attempt(() => parsePlacedJson(text));
    expect(fault).toBeInstanceOf(JsonFault);
    expect(fault).toMatchObject({ line, message });
  });
});

function attempt(what: () => unknown): unknown {
  try {
    return what();
  } catch (error) {
    return error;
  }
}
