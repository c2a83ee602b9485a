import fc from "fast-check";
import { expect, it } from "vitest";
import { rewriteJson } from "./rewrite-json.ts";

it("does not change a text with the same value", () => {
  for (const text of [' {"b" :1.50,\t"a":[ ],\r\n"2":1e3 }\n', "[]", '"x"', '{"a":"\\u00e9\\/"}'])
    expect(rewriteJson(text, JSON.parse(text))).toBe(text);
});

it("appends new parts in the format of the text", () => {
  expect(
    rewriteJson('{\n    "b": [1, 2],\n    "a": {}\n}\n', {
      b: [1, 2, 3],
      a: { c: [] },
      d: [{ e: 1 }],
    }),
  ).toBe(
    '{\n    "b": [1, 2, 3],\n    "a": {\n        "c": []\n    },\n    "d": [\n        {\n            "e": 1\n        }\n    ]\n}\n',
  );
  expect(rewriteJson('{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}', { a: [1, { b: 2 }] })).toBe(
    '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t{\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t]\r\n}',
  );
  expect(rewriteJson('{"a":1}', { a: 1, b: { c: 2 } })).toBe('{"a":1, "b": {"c":2}}');
});

it("removes missing parts anywhere and keeps the rest of the text", () => {
  const text = '{\n  "a": 1.0,\n  "b": [ "x",  "y",  "z" ],\n  "c": 3\n}';
  expect(rewriteJson(text, { b: ["x", "y", "z"], c: 3 })).toBe(
    '{\n  "b": [ "x",  "y",  "z" ],\n  "c": 3\n}',
  );
  expect(rewriteJson(text, { a: 1, b: ["y"] })).toBe('{\n  "a": 1.0,\n  "b": [ "y" ]\n}');
  expect(rewriteJson(text, { a: 1, b: ["x", "z"], c: 3 })).toBe(
    '{\n  "a": 1.0,\n  "b": [ "x",  "z" ],\n  "c": 3\n}',
  );
  expect(rewriteJson(text, {})).toBe("{}");
});

it("contains the new value, for any old value", () => {
  const indents = fc.constantFrom<number | string>(0, 2, 4, "\t");
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, indents, (before, after, indent) => {
      const text = JSON.stringify(before, null, indent);
      expect(JSON.parse(rewriteJson(text, after))).toEqual(JSON.parse(JSON.stringify(after)));
      expect(rewriteJson(text, JSON.parse(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

it("restores the original text when added parts are removed", () => {
  const names = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/u), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
  });
  fc.assert(
    fc.property(names, fc.constantFrom(2, 4, "\t"), (before, indent) => {
      const text = JSON.stringify(before, null, indent);
      const value: unknown = JSON.parse(text);
      const added = rewriteJson(text, { ...Object(value), HOOKS: [{ hooks: [1] }] });
      expect(rewriteJson(added, value)).toBe(text);
    }),
  );
});
