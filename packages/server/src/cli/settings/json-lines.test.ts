import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonFault, parseJsonWithLines } from "./json-lines.ts";

describe("JSON with its lines", () => {
  it("is parsed like JSON.parse", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, "\t"), (text, space) => {
        const value: unknown = JSON.parse(text);
        expect(parseJsonWithLines(JSON.stringify(value, null, space)).value).toEqual(value);
      }),
    );
  });

  it("refuses what JSON.parse refuses, and duplicate properties", () => {
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
        const own = attempt(() => parseJsonWithLines(text).value);
        const theirs = attempt(() => JSON.parse(text) as unknown);
        const isDuplicate = own instanceof JsonFault && own.message === "duplicate property";
        fc.pre(!isDuplicate);
        expect(own instanceof JsonFault ? "refused" : own).toEqual(
          theirs instanceof Error ? "refused" : theirs,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives the line of each part, or of the nearest part around it", () => {
    const { lineAt } = parseJsonWithLines('{\n  "a":\n    [\n      1,\n      {"b": 2}\n    ]\n}\n');
    expect(lineAt([])).toBe(1);
    expect(lineAt(["a"])).toBe(2);
    expect(lineAt(["a", 0])).toBe(4);
    expect(lineAt(["a", 1, "b"])).toBe(5);
    expect(lineAt(["a", 1, "c"])).toBe(5);
    expect(lineAt(["z"])).toBe(1);
  });

  it.each([
    ["", 1, "expected a value"],
    ['{\n  "a": 1,\n}', 3, "expected a property name in double quotes"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, "expected a comma"],
    ['{\n  "a" 1\n}', 2, "expected a colon after the property name"],
    ["[1,\n2", 2, "expected a closing bracket"],
    ["{\n// no\n}", 2, "comments are not allowed"],
    ['{"a":\nsecret}', 2, "not valid JSON"],
    ['{\n"a": "se\ncret"}', 2, "unterminated string"],
    ['{"a": 1}\n{}', 2, "unexpected text after the end"],
    ['{"a": 1,\n"a": 2}', 2, "duplicate property"],
    [`${"[".repeat(40)}`, 1, "nested too deeply"],
    [`${"[".repeat(1_000_000)}`, 1, "nested too deeply"],
  ])("says where %j goes wrong, and repeats nothing of it", (text, line, message) => {
    const fault = attempt(() => parseJsonWithLines(text));
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
