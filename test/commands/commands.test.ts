import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fullName, namedCommand } from "../../packages/server/src/cli/failure/wrong-usage.ts";
import { commandFirst } from "../../packages/server/src/cli/options-first.ts";
import { program } from "../../packages/server/src/cli/program.ts";
import { documentedCommands } from "./documented.ts";
import { ROWS } from "./rows.ts";
import { wordsOf, type Row, type Shape } from "./row.ts";
import { API_OBJECTS } from "./shapes.ts";
import { openWorld, type World } from "./world.ts";

describe.each(["database", "server"] as const)("every command on a %s", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ withServer: mode === "server" });
  });
  afterAll(() => world.close());

  const rows = ROWS.filter(({ only = mode }) => only === mode);
  it.each(rows)("holdfast $line: exits with $exit", async (row) => {
    const { code, stdout, stderr } = await world.run(await wordsOf(row.line, world), row.stdin);
    expect({ code, stderr }).toEqual({ code: row.exit, stderr: stderrOf(row) });
    if (row.json !== undefined) expectJson(stdout, row.json);
    else if (row.prints !== undefined) expect(stdout).toMatch(row.prints);
    else if (row.error !== undefined) expect(stdout).toBe("");
  });
});

function stderrOf({ error }: Row): unknown {
  if (error === undefined) return "";
  if (typeof error === "string") return `holdfast: ${error}\n`;
  return expect.toSatisfy((text: string) => error.test(text.replace(/^holdfast: /u, "").trimEnd()));
}

/** One object, several on lines of their own, or one of GAIA's lists. */
function expectJson(stdout: string, shape: Shape): void {
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    for (const object of Array.isArray(value) ? value.slice(0, 3) : [value])
      expectShape(object, shape);
    if (Array.isArray(value)) expect(shape).not.toHaveProperty("jsonVersion");
    if ("jsonVersion" in shape) expect(line).toMatch(/^\{"jsonVersion":1,/u);
  }
}

function expectShape(value: object, shape: Shape): void {
  expect(Object.keys(value).toSorted()).toEqual(Object.keys(shape).toSorted());
  for (const [field, inner] of Object.entries(shape)) {
    if (inner === true) continue;
    const found: unknown = Reflect.get(value, field);
    const isList = "each" in inner;
    const objects = isList && Array.isArray(found) ? found : [found];
    expect(objects).not.toEqual([]);
    for (const object of objects)
      expect(Object.keys(object).toSorted()).toEqual((isList ? inner.each : inner).toSorted());
  }
}

describe("the table of commands", async () => {
  const holdfast = await program([]);
  const rowsOf = (command: Command): readonly Row[] =>
    ROWS.filter(({ line }) => {
      const words = commandFirst(holdfast, line.split(" "));
      return namedCommand(holdfast, words).command === command;
    });
  /** Other tests run these: they do not end by themselves. */
  const ENDLESS: readonly string[] = ["holdfast serve"];

  it.each(runnable(holdfast).map((command) => ({ name: fullName(command), command })))(
    "has good and bad input for $name",
    ({ name, command }) => {
      const rows = rowsOf(command);
      if (!ENDLESS.includes(name)) expect(rows.some(({ exit }) => exit === 0)).toBe(true);
      expect(rows.some(({ exit }) => exit === 64)).toBe(true);
      if (command.options.some(({ long }) => long === "--json"))
        expect(rows.some(({ json }) => json !== undefined)).toBe(true);
    },
  );

  const documented = documentedCommands();

  it("is documented completely", () => {
    const names = runnable(holdfast).map((command) => fullName(command).replace("holdfast ", ""));
    expect(documented.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it.each(documented)("agrees with the documentation of $name", ({ name, fields, exitCodes }) => {
    const { command } = namedCommand(holdfast, name.split(" "));
    const rows = rowsOf(command);
    for (const { line, exit } of rows) expect(exitCodes, line).toContain(exit);
    // Objects of the HTTP API are documented there.
    if (fields.length === 0) return;
    for (const { line, json } of rows)
      if (json !== undefined && !API_OBJECTS.includes(json))
        expect(["jsonVersion", ...fields], line).toEqual(expect.arrayContaining(Object.keys(json)));
  });

  it.each(runnable(holdfast).map((command) => ({ name: fullName(command), command })))(
    "$name has a help with a description and an example",
    ({ command }) => {
      expect(command.description()).toMatch(/^[A-Z].*\.$/su);
      expect(command.summary()).toMatch(/^[a-z]/u);
      for (const { description, long } of command.options) expect(description, long).not.toBe("");
    },
  );
});

/** The commands that do something themselves, without hidden ones. */
function runnable(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((each) => {
      const inner = runnable(each);
      const isGroup = inner.length > 0 && each.options.length === 0;
      return isGroup ? inner : [each, ...inner];
    });
}
