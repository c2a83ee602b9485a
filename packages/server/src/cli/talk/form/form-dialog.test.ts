import { readForm } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { createPaint } from "../../terminal/paint.ts";
import { createFormDialog } from "./form-dialog.ts";
import { stepLines } from "./form-lines.ts";

const STYLE = { paint: createPaint({ colour: false }), columns: 60 };

/** The answer after these lines, or what is shown after the last one. */
function afterLines(schema: unknown, ...lines: readonly string[]) {
  const dialog = createFormDialog(readForm(schema));
  for (const [index, line] of lines.entries()) {
    const answer = dialog.take(line);
    if (answer !== null) return index === lines.length - 1 ? answer : "answered too early";
  }
  return stepLines(dialog.step(), STYLE).join("\n");
}
const form = (properties: unknown, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});
const DATABASE = {
  type: "string",
  title: "Database",
  description: "Which one?",
  oneOf: [
    { const: "sqlite", title: "SQLite", description: "One file" },
    { const: "pg", title: "PostgreSQL" },
  ],
};
const CHECKS = { type: "array", items: { enum: ["types", "lint", "tests"] }, minItems: 2 };
const OTHER = { type: "string", title: "Other" };
const accepted = (content: object) => ({ action: "accept", content });

describe("a form at the terminal", () => {
  it("shows a field with its choices and the value that Enter takes (D1)", () => {
    const shown = afterLines(form({ db: { ...DATABASE, default: "pg" }, ok: { type: "boolean" } }));
    expect(shown).toBe(
      [
        "",
        "Database (1 of 2)",
        "  Which one?",
        "  1 SQLite",
        "    One file",
        "  2 PostgreSQL",
        "  Type a number [PostgreSQL]",
      ].join("\n"),
    );
  });

  it.each([
    [form({ db: DATABASE }), ["2", "y"], { db: "pg" }],
    [form({ db: DATABASE }), ["sqlite", "y"], { db: "sqlite" }],
    [form({ db: { ...DATABASE, default: "pg" } }), ["", "y"], { db: "pg" }],
    [form({ db: { ...DATABASE, default: "pg" } }), ["/skip", "y"], {}],
    [form({ db: DATABASE, db_custom: OTHER }), ["2", "y"], { db: "pg" }],
    [form({ db: DATABASE, db_custom: OTHER }), ["a file", "y"], { db_custom: "a file" }],
    [form({ db: DATABASE, db_custom: OTHER }), ["", "y"], {}],
    [
      form({ db: DATABASE, db_note: OTHER }, ["db"]),
      ["1", "soon", "y"],
      { db: "sqlite", db_note: "soon" },
    ],
    [form({ checks: CHECKS }), ["3, 1", "y"], { checks: ["types", "tests"] }],
    [
      form({ checks: CHECKS, checks_custom: OTHER }),
      ["1 2", "more", "y"],
      { checks: ["types", "lint"], checks_custom: "more" },
    ],
    [form({ sure: { type: "boolean" } }), ["N", "yes"], { sure: false }],
    [form({ count: { type: "integer", default: 3 } }), ["", "y"], { count: 3 }],
    [form({ name: { type: "string" } }), [" two words ", "y"], { name: " two words " }],
    [form({ name: { type: "string" } }), ["//skip", "y"], { name: "/skip" }],
    [form({ any: { type: "object" }, a: { type: "string" } }), ["x", "y"], { a: "x" }],
    [form({}), ["y"], {}],
    [{ type: "array" }, ['{"a":1}', "y"], { a: 1 }],
    [
      form({ a: { type: "string" }, b: { type: "string" } }),
      ["1", "/back", "2", "3", "b", "4", "y"],
      { a: "2", b: "4" },
    ],
  ])("of %j takes %j (D1)", (schema, lines, content) => {
    expect(afterLines(schema, ...lines)).toEqual(accepted(content));
  });

  it.each([
    [DATABASE, "3", "Type a number from 1 to 2."],
    [DATABASE, "", "Choose one."],
    [DATABASE, "/skip", "This field is required."],
    [CHECKS, "1,9", "Type numbers from 1 to 3, such as 1,2."],
    [CHECKS, "1", "Choose at least 2."],
    [{ type: "boolean" }, "maybe", "Type y or n."],
    [{ type: "integer" }, "1.5", "Must be a whole number."],
    [
      { type: "string", format: "email" },
      "ada",
      "Must be an email address, such as ada@example.com",
    ],
  ])("with the field %j answers %j with: %s (D1)", (property, line, message) => {
    expect(afterLines(form({ one: property }, ["one"]), line)).toBe(`  ${message}`);
  });

  it("ends with a summary that has no default (D1)", () => {
    const schema = form({
      db: DATABASE,
      key: { type: "string", _meta: { codex: { isSecret: true } } },
    });
    expect(afterLines(schema, "1", "k-1")).toBe(
      [
        "",
        "Your answer",
        "  Database: SQLite",
        "  key: (not shown)",
        "  y: send, b: back, d: decline, c: cancel",
      ].join("\n"),
    );
    expect(afterLines(schema, "1", "k-1", "")).toBe("  Type y, b, d or c.");
    expect(afterLines(schema, "1", "k-1", "d")).toEqual({ action: "decline" });
    expect(afterLines(schema, "1", "k-1", "cancel")).toEqual({ action: "cancel" });
  });

  it("is declined or cancelled from every field (D1)", () => {
    expect(afterLines(form({ db: DATABASE }), "/decline")).toEqual({ action: "decline" });
    expect(afterLines(form({ db: DATABASE }), "/CANCEL")).toEqual({ action: "cancel" });
  });

  it("continues at the field that the server refused, with all input (D1)", () => {
    const dialog = createFormDialog(
      readForm(form({ a: { type: "string" }, b: { type: "string", pattern: "^x$" } })),
    );
    dialog.take("one");
    dialog.take("two");
    expect(dialog.take("y")).toEqual(accepted({ a: "one", b: "two" }));
    dialog.refuse([{ field: "b", message: "Must match the pattern ^x$" }]);
    expect(stepLines(dialog.step(), STYLE)).toEqual(["  Must match the pattern ^x$"]);
    dialog.take("x");
    expect(dialog.take("y")).toEqual(accepted({ a: "one", b: "x" }));
    dialog.refuse([{ field: "", message: "No." }]);
    expect(stepLines(dialog.step(), STYLE)).toEqual(["  No."]);
    expect(dialog.step().at).toBe("summary");
  });

  it("shows no control characters of the agent", () => {
    const evil = "\u001B[2J\u202E";
    const schema = form({
      [evil]: { type: "string", title: evil, description: evil, pattern: evil, default: evil },
      b: { type: "string", oneOf: [{ const: evil, title: evil, description: evil }] },
      c: { type: evil },
    });
    const shown = [[], [""], ["", "1"], ["", "1", ""]].map((lines) =>
      JSON.stringify(afterLines(schema, ...lines)),
    );
    // oxlint-disable-next-line eslint/no-control-regex -- the pattern finds control characters
    expect(shown.join("")).not.toMatch(/[\u001B\u202E]/u);
    expect(shown[0]).toContain("␛[2J");
  });
});
