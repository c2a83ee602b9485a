import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { checkAnswer } from "./check-answer.ts";
import type { Matcher } from "./check-value.ts";
import { parseForm } from "./form.ts";

const LITERAL: Matcher = (pattern, text) =>
  pattern === "odd" ? "unknown" : text.includes(pattern) ? "yes" : "no";

const formOf = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  mode: "form",
  schema: { type: "object", properties, required },
});

function problemsOf(request: JsonObject, content: Json): readonly string[] {
  const checked = checkAnswer(request, { action: "accept", content }, LITERAL);
  return checked.ok ? [] : checked.problems.map(({ field, message }) => `${field} ${message}`);
}

/** What is wrong with one value of one field. */
const wrong = (field: JsonObject, value: Json): string | null =>
  problemsOf(formOf({ f: field }), { f: value })[0] ?? null;

describe("an answer to an elicitation", () => {
  it("names each field and its problem, and all of them at once (D1)", () => {
    const request = formOf(
      { name: { type: "string" }, age: { type: "integer", minimum: 0, maximum: 120 } },
      ["name", "age"],
    );
    expect(problemsOf(request, { age: 200, shoe: 43 })).toEqual([
      "name is required",
      "age must be at most 120",
      "shoe is not a field of this form",
    ]);
  });

  it.each<[JsonObject, Json, string | null]>([
    [{ type: "string" }, "", null],
    [{ type: "string" }, 7, "f must be a text"],
    [{ type: "string", minLength: 2 }, "😀", "f must have at least 2 characters"],
    [{ type: "string", maxLength: 1 }, "😀", null],
    [{ type: "string", maxLength: 1 }, "ab", "f must have at most 1 character"],
    [{ type: "string", pattern: "x" }, "axb", null],
    [{ type: "string", pattern: "x" }, "ab", "f must match the pattern x"],
    [{ type: "string", pattern: "odd" }, "ab", null],
    [{ type: "string", format: "email" }, "ada@example.com", null],
    [{ type: "string", format: "email" }, "ada at home", "f must be an email address"],
    [{ type: "string", format: "uri" }, "https://example.com/a", null],
    [{ type: "string", format: "uri" }, "example", "f must be a URI, such as https://example.com"],
    [{ type: "string", format: "date" }, "2024-02-29", null],
    [{ type: "string", format: "date" }, "2023-02-29", "f must be a date, such as 2026-01-31"],
    [{ type: "string", format: "date" }, "2023-13-01", "f must be a date, such as 2026-01-31"],
    [{ type: "string", format: "date-time" }, "2024-02-29T23:59:60.5+01:00", null],
    [
      { type: "string", format: "date-time" },
      "2024-02-29 10:00",
      "f must be a time with a zone, such as 2026-01-31T12:00:00Z",
    ],
    [{ type: "string", format: "hostname" }, "anything", null],
    [{ type: "string", enum: ["a", "b"] }, "b", null],
    [{ type: "string", enum: ["a", "b"] }, "c", 'f must be one of "a", "b"'],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a", null],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "A", 'f must be one of "a"'],
    [{ type: "number", minimum: 1 }, 0.5, "f must be at least 1"],
    [{ type: "number" }, "1", "f must be a number"],
    [{ type: "integer" }, 1.5, "f must be a whole number"],
    [{ type: "integer", minimum: null, maximum: null }, -1, null],
    [{ type: "boolean" }, false, null],
    [{ type: "boolean" }, "false", "f must be true or false"],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, [], null],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, ["a"], null],
    [{ type: "array", items: { enum: ["a", "b"] } }, ["c"], 'f may only contain "a", "b"'],
    [{ type: "array", items: { enum: ["a", "b"] } }, "a", 'f must be a list of "a", "b"'],
    [{ type: "array", items: { enum: ["a", "b"] } }, ["a", "a"], "f contains a choice twice"],
    [
      { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
      [],
      "f must have at least 1 choice",
    ],
    [
      { type: "array", items: { enum: ["a", "b"] }, maxItems: 1 },
      ["a", "b"],
      "f may have at most 1 choice",
    ],
    [{ type: "string" }, null, "f has no value; leave it out"],
    [{ type: "object" }, {}, "f has a type that cannot be answered; leave it out"],
    [{ type: "string", minLength: "3" }, "", null],
  ])("%j and the value %j: %s (D1)", (field, value, problem) => {
    expect(wrong(field, value)).toBe(problem);
  });

  it("is stored as it was given: no default is added, and a field left out stays out (D1)", () => {
    const request = formOf({ colour: { type: "string", default: "blue" } });
    expect(checkAnswer(request, { action: "accept", content: {} }, LITERAL)).toEqual({
      ok: true,
      answer: { action: "accept", content: {} },
    });
  });

  it("accepts, declines or cancels, and nothing else (D1)", () => {
    const request = formOf({});
    const check = (answer: Json): boolean => checkAnswer(request, answer, LITERAL).ok;
    expect([{ action: "accept" }, { action: "decline" }, { action: "cancel" }].map(check)).toEqual([
      true,
      true,
      true,
    ]);
    const bad = [null, "yes", [], {}, { action: "maybe" }, { action: "decline", content: {} }];
    expect(
      [...bad, { action: "accept", more: 1 }, { action: "accept", content: [] }].map(check),
    ).toEqual(Array.from({ length: 8 }, () => false));
  });

  it("to a URL has no content (D1)", () => {
    const url = { mode: "url", url: "https://example.com" };
    expect(checkAnswer(url, { action: "accept", content: {} }, LITERAL)).toEqual({
      ok: true,
      answer: { action: "accept" },
    });
    expect(checkAnswer(url, { action: "accept", content: { a: 1 } }, LITERAL).ok).toBe(false);
  });

  it("does not mistake names of Object for fields", () => {
    const answer = JSON.parse('{"__proto__":"x","constructor":"y"}') as JsonObject;
    expect(problemsOf(formOf({}), answer)).toEqual([
      "__proto__ is not a field of this form",
      "constructor is not a field of this form",
    ]);
    const own = JSON.parse('{"__proto__":{"type":"string"}}') as JsonObject;
    expect(problemsOf(formOf(own, ["__proto__"]), {})).toEqual(["__proto__ is required"]);
  });
});

describe("a form that cannot be shown", () => {
  it.each<[unknown, string]>([
    [null, "its schema is not an object"],
    [{ type: "array" }, 'its schema is not of the type "object"'],
    [{ $ref: "#" }, 'its schema uses "$ref"'],
    [{ allOf: [] }, 'its schema uses "allOf"'],
    [{ properties: [] }, "its fields are not an object"],
    [{ required: "a" }, "its required fields are not a list of names"],
    [{ required: ["a"] }, 'it requires the field "a", but has none'],
    [
      { properties: { a: { type: "object" } }, required: ["a"] },
      'the required field "a" is not a text, number, boolean or choice',
    ],
    [
      { properties: { a: { type: "string", enum: [1] } }, required: ["a"] },
      'the required field "a" is not a text, number, boolean or choice',
    ],
    [
      { properties: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, {}])) },
      "it has 101 fields; the maximum is 100",
    ],
  ])("%j: %s (D1)", (schema, problem) => {
    expect(parseForm(schema)).toEqual({ ok: false, problem });
  });

  it("is still shown when only a field that may be left out is not understood (D1)", () => {
    const parsed = parseForm({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      additionalProperties: false,
      properties: { a: { type: "_vendor" }, b: { type: "string" } },
    });
    expect(
      parsed.ok && [...parsed.form.fields].map(([name, { type }]) => `${name} ${type}`),
    ).toEqual(["a unknown", "b string"]);
  });
});
