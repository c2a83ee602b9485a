import { expect, expectTypeOf, it } from "vitest";
import { defined } from "./defined.ts";

it("leaves out undefined fields and keeps null, false and empty ones", () => {
  const name = undefined as string | undefined;
  const fields = defined({ id: "a", name, note: null, count: 0, done: false, text: "" });
  expect(fields).toStrictEqual({ id: "a", note: null, count: 0, done: false, text: "" });
  expectTypeOf(fields.id).toEqualTypeOf<string>();
  expectTypeOf<{ name?: string }>().toExtend<Pick<typeof fields, "name">>();
});
