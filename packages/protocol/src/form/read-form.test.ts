import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkContent } from "./check-content.ts";
import { contentOf, initialInput } from "./form-input.ts";
import { readForm } from "./read-form.ts";
import { ASKED_BY_CLAUDE, ASKED_BY_CODEX } from "./testing/real-forms.ts";

const fieldsOf = (properties: unknown, more: Record<string, unknown> = {}) => {
  const form = readForm({ type: "object", properties, ...more });
  if (form.shape === "json") throw new Error("not readable");
  return form.fields;
};
const fieldOf = (property: unknown) => fieldsOf({ one: property })[0];

describe("a form", () => {
  it("has a field for each property, in their order (D1)", () => {
    const fields = fieldsOf(
      {
        name: { type: "string", title: "Name", description: "Yours", maxLength: 9, format: null },
        age: { type: "integer", minimum: 1, default: 30 },
        share: { type: "number", maximum: 0.5 },
        sure: { type: "boolean", default: false },
      },
      { required: ["age"] },
    );
    expect(fields).toEqual([
      expect.objectContaining({
        type: "text",
        name: "name",
        title: "Name",
        description: "Yours",
        required: false,
        maxLength: 9,
        minLength: null,
        format: null,
      }),
      expect.objectContaining({ type: "number", title: "age", integer: true, required: true }),
      expect.objectContaining({ type: "number", integer: false, maximum: 0.5, initial: null }),
      expect.objectContaining({ type: "boolean", initial: false }),
    ]);
  });

  it.each([
    [{ type: "string", enum: ["a", "b"], enumNames: ["A"] }, "choice"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "choice"],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, "choices"],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }, { const: "b" }] } }, "choices"],
  ])("offers the choices of %j (D1)", (property, type) => {
    const field = fieldOf(property);
    expect(field).toMatchObject({ type, choices: [{ value: "a" }, { value: "b", title: "b" }] });
  });

  it("keeps only defaults that are possible", () => {
    expect(fieldOf({ type: "string", enum: ["a"], default: "b" })).toMatchObject({ initial: null });
    const several = { type: "array", items: { enum: ["a", "b"] }, default: ["b", "x"] };
    expect(fieldOf(several)).toMatchObject({ initial: ["b"] });
    expect(fieldOf({ type: "number", default: "3" })).toMatchObject({ initial: null });
  });

  it.each([
    { type: "object", properties: {} },
    { type: "string", enum: [1, 2] },
    { type: "array", items: { type: "string" } },
    { type: "_vendor" },
    { $ref: "#" },
    "text",
    null,
  ])("leaves out a value of another kind: %j", (property) => {
    expect(fieldOf(property)).toMatchObject({ type: "other", schema: property });
  });

  it.each([
    null,
    [],
    "text",
    { type: "array" },
    { properties: [] },
    { $ref: "#" },
    { type: "object", properties: {}, required: ["missing"] },
    { type: "object", properties: { a: { type: "object" } }, required: ["a"] },
    { type: "object", properties: {}, required: "a" },
    { type: "object", properties: {}, anyOf: [{}] },
  ])("cannot be read from %j, and is answered as JSON", (schema) => {
    expect(readForm(schema)).toEqual({ shape: "json", schema });
  });

  it("of Claude joins the text for another answer to its question (D1)", () => {
    const form = readForm(ASKED_BY_CLAUDE);
    expect(form.shape === "fields" && form.fields).toMatchObject([
      {
        type: "choice",
        title: "Database",
        choices: [{ value: "SQLite", preview: "data/\n  app.db" }, { preview: null }],
      },
      { type: "text", title: "Other", companionOf: "question_0" },
      { type: "choices", title: "Checks" },
      { type: "text", title: "Other", companionOf: "question_1" },
    ]);
  });

  it("of Codex knows required and secret answers (D1)", () => {
    const form = readForm(ASKED_BY_CODEX);
    expect(form.shape === "fields" && form.fields).toMatchObject([
      { type: "choice", required: true },
      { type: "text", companionOf: "place", secret: false },
      { type: "text", companionOf: null, secret: true, required: true },
    ]);
  });

  it.each([
    { writeOnly: true },
    { format: "password" },
    { isSecret: true },
    { _meta: { isSecret: true } },
  ])("hides a text with %j (D1)", (mark) => {
    const form = readForm({ type: "object", properties: { key: { type: "string", ...mark } } });
    expect(form.shape === "fields" && form.fields).toMatchObject([{ type: "text", secret: true }]);
  });

  it("is read from every JSON value, and its untouched input gives content that fits, or errors (D1)", () => {
    const property = fc.record(
      {
        type: fc.constantFrom("string", "number", "integer", "boolean", "array", "object", null),
        title: fc.oneof(fc.string(), fc.jsonValue()),
        default: fc.jsonValue(),
        enum: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
        oneOf: fc.array(fc.oneof(fc.record({ const: fc.string() }), fc.jsonValue())),
        items: fc.oneof(fc.record({ enum: fc.array(fc.string()) }), fc.jsonValue()),
        minLength: fc.integer(),
        minimum: fc.double(),
        minItems: fc.nat(3),
        format: fc.constantFrom("email", "uri", "date", "date-time", "other"),
      },
      { requiredKeys: [] },
    );
    const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", ""));
    const schema = fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, fc.oneof(property, fc.jsonValue())),
      required: fc.array(name, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.oneof(schema, fc.jsonValue()), fc.jsonValue(), (one, content) => {
        const form = readForm(one);
        checkContent(form, content);
        const result = contentOf(form, initialInput(form));
        expect(result.ok ? checkContent(form, result.content) : []).toEqual([]);
        expect(result.ok || result.errors.length > 0).toBe(true);
      }),
    );
  });
});
