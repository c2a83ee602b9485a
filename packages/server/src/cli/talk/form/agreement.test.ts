import { checkContent, readForm } from "@holdfast/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkAnswer } from "../../../domain/elicitation/check-answer.ts";
import { parseForm } from "../../../domain/elicitation/form.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { repeat } from "../../../domain/testing/repeat.ts";

const text = fc.oneof(
  fc.constantFrom("", "a", "b", "👍👍", "ada@example.com", "https://a.example", "2024-02-29"),
  fc.constantFrom("2026-01-31T12:00:00Z", "2023-02-29", "a@b", "x:y"),
  fc.string({ maxLength: 4 }),
);
const choice = fc.constantFrom("a", "b", "c", "👍👍");
const count = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constantFrom(null, 1.5, "2"));
const limit = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(null, 0.5, "1"));
const titled = fc.array(
  fc.oneof(fc.record({ const: choice, title: text }), fc.constantFrom(null, { const: 1 })),
  { maxLength: 3 },
);
const choices = fc.record(
  {
    enum: fc.oneof(fc.array(choice, { maxLength: 3 }), fc.constantFrom(null, [1], "a")),
    oneOf: fc.oneof(titled, fc.constantFrom(null, "a")),
    anyOf: fc.oneof(titled, fc.constant(null)),
  },
  { requiredKeys: [] },
);
const property = fc
  .tuple(
    fc.constantFrom("string", "string", "number", "integer", "boolean", "array", "object", null),
    fc.boolean(),
    choices,
    fc.record(
      {
        minLength: count,
        maxLength: count,
        format: fc.constantFrom("email", "uri", "date", "date-time", "other", null),
        minimum: limit,
        maximum: limit,
        minItems: count,
        maxItems: count,
        items: fc.oneof(choices, fc.constantFrom(null, { type: "string" })),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([type, isChoice, offered, more]) => ({ type, ...(isChoice ? offered : {}), ...more }));
const name = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
const schema = fc.record(
  {
    type: fc.constantFrom("object", "object", null, "array"),
    properties: fc.dictionary(name, fc.oneof(property, fc.constantFrom(null, "x"))),
    required: fc.oneof(fc.array(name, { maxLength: 2 }), fc.constantFrom(null, "a", [1])),
    anyOf: fc.constant(null),
  },
  { requiredKeys: ["properties"] },
);
const value = fc.oneof(
  text,
  fc.integer({ min: -3, max: 3 }),
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.boolean(),
  fc.array(choice, { maxLength: 3 }),
  fc.constantFrom(null, [1], { a: 1 }),
);

it("the form that people see takes exactly what the server takes (D1)", () => {
  let [taken, refused] = [0, 0];
  fc.assert(
    fc.property(schema, fc.dictionary(name, value, { maxKeys: 3 }), (one, content) => {
      const form = readForm(one);
      // External JSON has only these values.
      const json = JSON.parse(JSON.stringify({ one, content })) as {
        readonly one: JsonObject;
        readonly content: Json;
      };
      expect(form.shape === "fields").toBe(parseForm(json.one).ok);
      if (form.shape === "json") return;
      const request = { mode: "form", schema: json.one };
      const answer = { action: "accept", content: json.content };
      const server = checkAnswer(request, answer, () => "unknown");
      const here = checkContent(form, json.content);
      const wrong = server.ok ? [] : server.problems.map(({ field }) => field);
      expect(new Set(here.map(({ field }) => field))).toEqual(new Set(wrong));
      if (server.ok) taken += 1;
      else refused += 1;
    }),
    { numRuns: repeat({ short: 1_000, long: 20_000 }) },
  );
  expect(taken).toBeGreaterThan(50);
  expect(refused).toBeGreaterThan(50);
});
