import { readForm } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { questionsOf } from "./questions-of.ts";

it("the text for an answer of one's own belongs to its question (D1)", () => {
  const form = readForm({
    properties: {
      db: { type: "string", enum: ["a"] },
      db_custom: { type: "string", title: "Other" },
      name: { type: "string" },
    },
  });
  const names = questionsOf(form).map(({ field, companion }) => [field.name, companion?.name]);
  expect(names).toEqual([
    ["db", "db_custom"],
    ["name", undefined],
  ]);
});
