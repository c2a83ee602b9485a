import { describe, expect, it } from "vitest";
import { answerEntries } from "./answer-text.ts";
import { checkContent } from "./check-content.ts";
import { contentOf, fieldError, initialInput, type FormInput } from "./form-input.ts";
import { readForm } from "./read-form.ts";
import { ASKED_BY_CLAUDE, ASKED_BY_CODEX } from "./testing/real-forms.ts";

const oneField = (property: unknown, isRequired = false) =>
  readForm({
    type: "object",
    properties: { one: property },
    ...(isRequired ? { required: ["one"] } : {}),
  });
const result = (property: unknown, input: FormInput[string], isRequired = false) => {
  const made = contentOf(oneField(property, isRequired), { one: input });
  return made.ok ? made.content : made.errors.map(({ field, message }) => `${field}: ${message}`);
};
const CHOICE = { type: "string", enum: ["a", "b"] };
const CHOICES = { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2, maxItems: 2 };

describe("what a person entered", () => {
  it.each([
    [{ type: "string" }, "text", { one: "text" }],
    [{ type: "string" }, " ", { one: " " }],
    [{ type: "number" }, " -1.5e2 ", { one: -150 }],
    [{ type: "integer" }, "7", { one: 7 }],
    [{ type: "boolean" }, false, { one: false }],
    [CHOICE, "b", { one: "b" }],
    [CHOICES, ["c", "a"], { one: ["c", "a"] }],
  ])("for %j, %j, becomes the content (D1)", (property, input, content) => {
    expect(result(property, input, true)).toEqual(content);
  });

  it.each([
    [{ type: "string" }, ""],
    [{ type: "number" }, " "],
    [{ type: "boolean" }, null],
    [CHOICE, null],
    [CHOICES, []],
  ])(
    "for %j is left out when it is nothing, and no default replaces it (D1)",
    (property, input) => {
      expect(result({ ...property, default: "a" }, input)).toEqual({});
      expect(result(property, input, true)).toHaveLength(1);
    },
  );

  it.each([
    [{ type: "string" }, "", "This field is required."],
    [{ type: "string", minLength: 2 }, "👍", "Must have at least 2 characters."],
    [{ type: "string", maxLength: 1 }, "ab", "Must have at most 1 character."],
    [
      { type: "string", format: "email" },
      "ada",
      "Must be an email address, such as ada@example.com",
    ],
    [{ type: "string", format: "date" }, "2026-02-30", "Must be a date, such as 2026-01-31"],
    [{ type: "number" }, "0x10", "Must be a number."],
    [{ type: "integer" }, "1.5", "Must be a whole number."],
    [{ type: "integer" }, "many", "Must be a whole number."],
    [{ type: "number", minimum: 3 }, "2", "Must be at least 3."],
    [{ type: "number", maximum: 3 }, "4", "Must be at most 3."],
    [{ type: "boolean" }, null, "Choose yes or no."],
    [CHOICE, null, "Choose one."],
    [CHOICE, "c", "Must be one of the offered choices."],
    [CHOICES, [], "Choose at least one."],
    [CHOICES, ["a"], "Choose at least 2."],
    [CHOICES, ["a", "b", "c"], "Choose at most 2."],
  ])("for %j, %j, is refused: %s (D1)", (property, input, message) => {
    expect(result(property, input, true)).toEqual([`one: ${message}`]);
  });

  it("may be no choice when the agent requires a list without a minimum", () => {
    expect(result({ type: "array", items: { enum: ["a"] } }, [], true)).toEqual({ one: [] });
  });

  it.each([
    ["uri", "https://example.com/?a=b#c", true],
    ["uri", "mailto:ada@example.com", true],
    ["uri", "example.com", false],
    ["uri", "https://a b", false],
    ["email", "a@b@c", false],
    ["email", "a+b@c.example", true],
    ["date", "2024-02-29", true],
    ["date", "2023-02-29", false],
    ["date", "0001-01-01", true],
    ["date", "26-01-01", false],
    ["date-time", "2026-01-31T12:00:00Z", true],
    ["date-time", "2026-01-31t23:59:60.5+01:00", true],
    ["date-time", "2026-01-31T12:00:00", false],
    ["date-time", "2026-01-31T24:00:00Z", false],
  ])("is checked as %s: %j", (format, text, isGood) => {
    expect(Array.isArray(result({ type: "string", format }, text))).toBe(!isGood);
  });

  it("starts with the defaults of the agent", () => {
    const form = readForm({
      properties: {
        text: { type: "string", default: "t" },
        number: { type: "number", default: 0.5 },
        sure: { type: "boolean", default: true },
        choice: { ...CHOICE, default: "b" },
        choices: { ...CHOICES, default: ["b", "c"] },
        empty: { type: "string" },
      },
    });
    expect(initialInput(form)).toEqual({
      text: "t",
      number: "0.5",
      sure: true,
      choice: "b",
      choices: ["b", "c"],
      empty: "",
    });
    expect(contentOf(form, initialInput(form))).toEqual({
      ok: true,
      content: { text: "t", number: 0.5, sure: true, choice: "b", choices: ["b", "c"] },
    });
  });

  it("names the errors in the order of the fields, and for one field alone", () => {
    const form = readForm({
      properties: { a: { type: "string" }, b: { type: "number" }, c: { type: "string" } },
      required: ["c", "a"],
    });
    const made = contentOf(form, { a: "", b: "x", c: "" });
    expect(!made.ok && made.errors.map(({ field }) => field)).toEqual(["a", "b", "c"]);
    const field = form.shape === "fields" ? form.fields[1] : undefined;
    expect(field === undefined ? null : fieldError(field, "x")).toBe("Must be a number.");
  });

  it("is one JSON object where the schema cannot be read", () => {
    const form = readForm({ type: "array" });
    expect(initialInput(form)).toEqual({ "": "" });
    expect(contentOf(form, { "": '{"a":1}' })).toEqual({ ok: true, content: { a: 1 } });
    for (const text of ["", "[1]", "{"])
      expect(contentOf(form, { "": text })).toMatchObject({ ok: false, errors: [{ field: "" }] });
    expect(contentOf(form, { "": '{"a":{}}' })).toMatchObject({ errors: [{ field: "a" }] });
  });
});

describe("content from elsewhere", () => {
  it("is refused by field, also for unknown fields (D1)", () => {
    const form = readForm(ASKED_BY_CODEX);
    expect(checkContent(form, { place: "Mars", extra: 1 })).toEqual([
      { field: "place", message: "Must be one of the offered choices." },
      { field: "key", message: "This field is required." },
      { field: "extra", message: "The form has no such field." },
    ]);
    const other = oneField({ type: "object" });
    expect(checkContent(other, { one: "x" })).toHaveLength(1);
    expect(contentOf(other, { one: "x" })).toEqual({ ok: true, content: {} });
    expect(checkContent(form, [])).toEqual([{ field: "", message: "Must be a JSON object." }]);
  });

  it("is checked with the pattern by the one who can match it", () => {
    const form = oneField({ type: "string", pattern: "^a+$" });
    const matches = (pattern: string, text: string): boolean => new RegExp(pattern, "u").test(text);
    expect(checkContent(form, { one: "b" })).toEqual([]);
    expect(checkContent(form, { one: "b" }, matches)).toEqual([
      { field: "one", message: "Must match the pattern ^a+$" },
    ]);
    expect(checkContent(form, { one: "aa" }, matches)).toEqual([]);
  });
});

describe("an answer for people", () => {
  it("names fields and choices in the order of the form, and hides secrets (D1)", () => {
    expect(
      answerEntries(readForm(ASKED_BY_CLAUDE), {
        question_1: ["Types", "Lint"],
        question_0: "SQLite",
        question_0_custom: "in memory",
      }),
    ).toEqual([
      { title: "Database", text: "SQLite" },
      { title: "Other", text: "in memory" },
      { title: "Checks", text: "Types, Lint" },
    ]);
    expect(answerEntries(readForm(ASKED_BY_CODEX), { key: "k-123", new: { a: true } })).toEqual([
      { title: "Which key should it use?", text: "(not shown)" },
      { title: "new", text: '{"a":true}' },
    ]);
    expect(answerEntries(oneField({ type: "integer" }), { one: { notStored: true } })).toEqual([
      { title: "one", text: "(not shown)" },
    ]);
    expect(answerEntries(oneField({ type: "boolean" }), { one: false })).toEqual([
      { title: "one", text: "No" },
    ]);
  });
});
