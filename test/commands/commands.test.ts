import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fullName, namedCommand } from "../../packages/server/src/cli/failure/wrong-usage.ts";
import { commandFirst } from "../../packages/server/src/cli/options-first.ts";
import { program } from "../../packages/server/src/cli/program.ts";
import { documentedCommands } from "./documented.ts";
import { outlineOf, promisedOutline } from "./outline.ts";
import { wordsOf, type Row } from "./row.ts";
import { ROWS } from "./rows.ts";
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
    expect({ code, stderr, stdout: outlineOf(stdout, row) }).toEqual({
      code: row.exit,
      stderr: promisedError(row),
      stdout: promisedOutline(row),
    });
  });
});

function promisedError({ error }: Row): unknown {
  if (error === undefined) return "";
  if (typeof error === "string") return `holdfast: ${error}\n`;
  return expect.toSatisfy((text: string) => error.test(text.replace(/^holdfast: /u, "").trimEnd()));
}

describe("the table of commands", async () => {
  const holdfast = await program([]);
  const commands = runnable(holdfast).map((command) => ({ name: nameOf(command), command }));
  const documented = documentedCommands();
  const rowsOf = (command: Command): readonly Row[] =>
    ROWS.filter(({ line }) => {
      const words = commandFirst(holdfast, line.split(" "));
      return namedCommand(holdfast, words).command === command;
    });
  /** Other tests run these with good input: they leave a server behind, or need a service manager. */
  const RUN_ELSEWHERE: readonly string[] = ["serve", "restart", "service status"];
  /** Prints the lines of the log, which are JSON of another kind. */
  const OTHER_JSON: readonly string[] = ["logs"];

  it.each(commands)("has good and bad input for $name", ({ name, command }) => {
    const rows = rowsOf(command);
    const isExempt = RUN_ELSEWHERE.includes(name);
    const takesJson = command.options.some(({ long }) => long === "--json");
    expect({
      good: isExempt || rows.some(({ exit }) => exit === 0),
      bad: rows.some(({ exit }) => exit === 64),
      json:
        isExempt ||
        OTHER_JSON.includes(name) ||
        !takesJson ||
        rows.some(({ json }) => json !== undefined),
    }).toEqual({ good: true, bad: true, json: true });
  });

  it("is documented completely", () => {
    expect(documented.map(({ name }) => name).toSorted()).toEqual(
      commands.map(({ name }) => name).toSorted(),
    );
  });

  it.each(documented)("agrees with the documentation of $name", (entry) => {
    const { command } = namedCommand(holdfast, entry.name.split(" "));
    const undocumented = rowsOf(command).flatMap(({ exit, json = {} }) => [
      ...(entry.exitCodes.includes(exit) ? [] : [`exit code ${exit}`]),
      // Objects of the HTTP API and GAIA's state are documented elsewhere.
      ...(API_OBJECTS.includes(json) || entry.json.includes("(hooks.md)")
        ? []
        : Object.keys(json).filter((field) => !["jsonVersion", ...entry.fields].includes(field))),
    ]);
    expect(entry.json === "the same" ? [] : undocumented).toEqual([]);
  });

  it.each(commands)("$name has a help in sentences, with examples", ({ command }) => {
    let help = "";
    command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
    expect({
      description: command.description(),
      summary: command.summary(),
      help,
      options: command.options.filter(({ description }) => description === ""),
    }).toEqual({
      description: expect.stringMatching(/^[A-Z].*\.$/su),
      summary: expect.stringMatching(/^[a-z].*[^.]$/u),
      help: expect.stringContaining("\nEXAMPLES:\n"),
      options: [],
    });
  });
});

/** `repos add` */
function nameOf(command: Command): string {
  return fullName(command).replace("holdfast ", "");
}

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
