import { describe, expect, it } from "vitest";
import { nameStatements } from "./statement-names.ts";

const failed = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code, ...more });

describe("the names of statements", () => {
  it("are the same for the same text in every process, and others for other texts", () => {
    const [one, other] = [nameStatements(), nameStatements()];
    const { name } = one.query("select 1", []);
    expect(name).toMatch(/^holdfast_[\w-]{22}$/u);
    expect(other.query("select 1", [])).toEqual({ text: "select 1", values: [], name });
    expect(one.query("select $1", ["2"])).toMatchObject({ values: ["2"] });
    expect(one.query("select $1", []).name).not.toBe(name);
  });

  it("are limited in number: later texts have none", () => {
    const names = nameStatements();
    const named = Array.from({ length: 1_000 }, (_, count) => names.query(`select ${count}`, []));
    expect(named.filter(({ name }) => name !== undefined)).toHaveLength(250);
    expect(names.query("select 0", []).name).toBe(named[0]?.name);
    expect(names.query("select 999", [])).toEqual({ text: "select 999", values: [] });
  });

  it.each([
    ["no statement has the name", failed("26000")],
    ["a statement has the name already", failed("42P05")],
    ["its columns have changed", failed("0A000", { routine: "RevalidateCachedQuery" })],
  ])("are given up when %s", (_, error) => {
    const names = nameStatements();
    names.query("select 1", []);
    expect(names.areToBlame(error)).toBe(true);
    expect(names.query("select 1", [])).toEqual({ text: "select 1", values: [] });
  });

  it("are not to blame for other errors", () => {
    const names = nameStatements();
    for (const error of [failed("0A000"), failed("23505"), new Error("26000"), "26000", null])
      expect(names.areToBlame(error)).toBe(false);
    expect(names.query("select 1", []).name).toBeDefined();
  });
});
