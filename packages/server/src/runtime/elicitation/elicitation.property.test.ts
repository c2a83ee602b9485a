import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAnswer } from "../../domain/elicitation/check-answer.ts";
import { parseForm, type Form } from "../../domain/elicitation/form.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { cpuMs } from "../../domain/testing/cpu-time.ts";
import { repeat } from "../../domain/testing/repeat.ts";
import { parseElicitation } from "../../providers/acp/translate/elicitation.ts";
import { patternMatcher } from "./pattern-matcher.ts";

const TRIES = { numRuns: repeat({ short: 500, long: 10_000 }) };

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const options = fc.uniqueArray(text, { minLength: 1, maxLength: 5 });
const limit = fc.option(fc.integer({ min: 0, max: 8 }), { nil: null });

/** A field as the protocol allows it, with a value that fits. */
const goodField: fc.Arbitrary<{ readonly field: JsonObject; readonly value: Json }> = fc.oneof(
  fc.record({ field: fc.constant({ type: "string" }), value: text }),
  fc
    .tuple(options, fc.boolean())
    .chain(([values, titled]) =>
      fc.constantFrom(...values).map((value) => ({ field: choice(values, titled), value })),
    ),
  options.chain((values) =>
    fc.subarray(values).map((value) => ({
      field: { type: "array", items: { type: "string", enum: values } },
      value,
    })),
  ),
  fc.integer({ min: -5, max: 5 }).map((value) => ({
    field: { type: "integer", minimum: -5, maximum: 5, default: 3 },
    value,
  })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({
    field: { type: "number" },
    value,
  })),
  fc.boolean().map((value) => ({ field: { type: "boolean", default: true }, value })),
);

const choice = (values: readonly string[], titled: boolean): JsonObject => ({
  type: "string",
  ...(titled
    ? { oneOf: values.map((value) => ({ const: value, title: `the ${value}` })) }
    : { enum: values }),
});

/** Fields of all sorts, many of them wrong. */
const anyField: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      type: fc.oneof(
        fc.constantFrom("string", "number", "integer", "boolean", "array", "object", "_own"),
        fc.jsonValue(),
      ),
      minLength: fc.oneof(limit, fc.jsonValue()),
      maxLength: fc.oneof(limit, fc.jsonValue()),
      minimum: fc.oneof(limit, fc.jsonValue()),
      maxItems: fc.oneof(limit, fc.jsonValue()),
      pattern: fc.oneof(
        fc.constantFrom("^a+$", "(", "(?=x)", "(a|a)*b", "\\d"),
        text,
        fc.jsonValue(),
      ),
      format: fc.constantFrom("email", "uri", "date", "date-time", "odd"),
      enum: fc.oneof(options, fc.jsonValue()),
      oneOf: fc.oneof(fc.array(fc.record({ const: text, title: text })), fc.jsonValue()),
      items: fc.oneof(fc.record({ enum: options }), fc.jsonValue()),
      $ref: fc.constant("#"),
    },
    { requiredKeys: ["type"] },
  ),
);
const name = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "a", "b"));
const entries = <Value>(value: fc.Arbitrary<Value>) =>
  fc.array(fc.tuple(name, value), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs));

const anySchema = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      type: fc.constantFrom("object", "array", null),
      properties: fc.oneof(entries(anyField), fc.jsonValue()),
      required: fc.oneof(fc.array(name, { maxLength: 2 }), fc.jsonValue()),
    },
    { requiredKeys: ["properties"] },
  ),
);
const anyAnswer = fc.oneof(
  fc.jsonValue(),
  fc.record({
    action: fc.constantFrom("accept", "decline", "cancel", "maybe"),
    content: fc.oneof(entries(fc.jsonValue()), fc.jsonValue()),
  }),
) as fc.Arbitrary<Json>;

const isKnown = (field: string, content: JsonObject, { required }: Form): boolean =>
  Object.hasOwn(content, field) || required.includes(field);

describe("random elicitations", () => {
  it("never break the parser or the check; what is refused names a field of the answer or the form (D1)", () => {
    fc.assert(
      fc.property(anySchema, anyAnswer, fc.jsonValue(), (schema, answer, message) => {
        const parsed = parseElicitation({ mode: "form", message, requestedSchema: schema });
        if (!parsed.ok) return;
        const form = parseForm(parsed.request["schema"]);
        const checked = checkAnswer(parsed.request, answer, patternMatcher());
        expect(form.ok).toBe(true);
        if (checked.ok || !form.ok) return;
        const content = (answer as { content?: JsonObject } | null)?.content ?? {};
        const named = checked.problems.map(({ field }) => field).filter((field) => field !== "");
        expect(named.filter((field) => !isKnown(field, content, form.form))).toEqual([]);
        expect(checked.problems.filter((each) => each.message === "")).toEqual([]);
      }),
      TRIES,
    );
  });

  it("accept every answer that fits, unchanged, and refuse it when a field is broken (D1)", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(text, { minLength: 1, maxLength: 6 }),
        fc.array(goodField, { minLength: 6, maxLength: 6 }),
        fc.nat(),
        (names, fields, at) => {
          const pairs = names.map((each, index) => [each, fields[index]] as const);
          const properties = Object.fromEntries(
            pairs.map(([each, made]) => [each, made?.field ?? {}]),
          );
          const content = Object.fromEntries(
            pairs.map(([each, made]) => [each, made?.value ?? ""]),
          );
          const request = { mode: "form", schema: { type: "object", properties, required: names } };
          const check = (value: JsonObject) =>
            checkAnswer(request, { action: "accept", content: value }, patternMatcher());
          expect(check(content)).toEqual({ ok: true, answer: { action: "accept", content } });
          const broken = names[at % names.length] ?? "";
          const { [broken]: _, ...without } = content;
          expect(check(without)).toEqual({
            ok: false,
            problems: [{ field: broken, message: "is required" }],
          });
          const odd = check({ ...content, [broken]: { not: "allowed" } });
          expect(odd.ok ? [] : odd.problems.map(({ field }) => field)).toEqual([broken]);
        },
      ),
      TRIES,
    );
  });
});

describe("a hostile elicitation", () => {
  const nested = (depth: number): unknown => {
    let schema: unknown = { type: "string" };
    for (let level = 0; level < depth; level += 1) schema = { properties: { a: schema } };
    return schema;
  };
  const many = <Value>(count: number, make: (at: number) => Value): Record<string, Value> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, make(at)]));
  const PATTERNS: readonly (readonly [string, string])[] = [
    ["nested repetition", "^(a+)+$"],
    ["equal branches", "(a|a|aa)*b"],
    ["repetitions side by side", "(x+x+)+y"],
    ["counted a million times", "((a{100}){100}){100}"],
    ["optional and required", "(a?){250}a{250}"],
    ["many wildcards", ".*".repeat(200)],
    ["large classes, counted", "\\p{L}{1000}".repeat(40)],
    ["deep groups", "(".repeat(250) + "a" + ")".repeat(250)],
    ["a lookahead", "(?=a)b"],
    ["a reference", "\\1"],
    ["a syntax error", "("],
  ];

  it.each([
    ["deep", nested(60)],
    ["with a field for itself", { type: "object", properties: { a: { $ref: "#" } } }],
    ["huge", { properties: many(5_000, () => ({ type: "string" })) }],
    [
      "with a million choices",
      { properties: { a: { type: "string", enum: Array.from({ length: 1_000_000 }, String) } } },
    ],
  ])("%s costs bounded time (D1)", (_, requestedSchema) => {
    expect(
      cpuMs(() => void parseElicitation({ mode: "form", message: "m", requestedSchema })),
    ).toBeLessThan(2_000);
  });

  it.each(PATTERNS)(
    "with a pattern of %s costs bounded time, for one field and for a hundred (D1)",
    (_, pattern) => {
      for (const count of [1, 100]) {
        const request = {
          mode: "form",
          schema: { type: "object", properties: many(count, () => ({ type: "string", pattern })) },
        };
        for (const value of ["a".repeat(100_000), `${"a".repeat(2_000)}!`, "x".repeat(50_000)]) {
          const content = many(count, () => value);
          const spent = cpuMs(
            () => void checkAnswer(request, { action: "accept", content }, patternMatcher()),
          );
          expect(spent).toBeLessThan(2_000);
        }
      }
    },
  );

  it("with a pattern that cannot be checked leaves it to the agent (D1)", () => {
    const matches = patternMatcher();
    expect(matches("^[a-z]+$", "abc")).toBe("yes");
    expect(matches("^[a-z]+$", "ABC")).toBe("no");
    expect(matches(String.raw`^\u0041\d{2}$`, "A12")).toBe("yes");
    expect(matches("^(?=a)b$", "b")).toBe("unknown");
    expect(matches("a".repeat(501), "b")).toBe("unknown");
  });
});
