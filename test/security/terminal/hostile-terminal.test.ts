import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "../../../packages/server/src/cli/program.ts";
import { COMPILE_CACHE } from "../../machine/compile-cache.ts";
import { needTerminal } from "../../e2e/real-terminal.ts";
import {
  COMMAND_CASES,
  commandNames,
  preparation,
  type CommandCase,
  type CommandContext,
} from "./command-lines.ts";
import { openHostileServer, type HostileServer } from "../hostile/hostile-server.ts";
import { unsafeOutput, HOSTILE, INJECTED, withoutStyles } from "./payload.ts";

const RUNNER = path.resolve(import.meta.dirname, "run-commands.ts");
const COLUMNS = 100;
/** Part of the hostile text; proves that it was printed. */
const SHOWN_MARK = "begin";
/** Hostile characters that a folder name may contain. */
const NAME = "evil\u001B[2J\u009D\u202E\n";

let folder: string;
let hostile: HostileServer;
let refusing: HostileServer;
let context: CommandContext;
/** Commands that have printed the hostile text. */
const shownBy = { pipe: new Set<string>(), terminal: new Set<string>() };

interface CommandLine {
  readonly name: string;
  readonly line: readonly string[];
  readonly commandCase: CommandCase;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-hostile-"));
  const text = (): string => HOSTILE;
  hostile = await openHostileServer({ text });
  refusing = await openHostileServer({ text, refuses: true });
  context = {
    url: hostile.url,
    data: path.join(folder, "data"),
    stored: path.join(folder, "stored"),
    states: path.join(folder, "states"),
    repository: path.join(folder, NAME),
    folder,
  };
  const badConfig = { providers: { [HOSTILE]: { type: HOSTILE } }, [HOSTILE]: HOSTILE };
  mkdirSync(path.join(context.repository, ".git"), { recursive: true });
  mkdirSync(context.data, { mode: 0o700 });
  mkdirSync(path.join(context.data, "fresh"), { mode: 0o700 });
  writeFileSync(path.join(context.data, "holdfast.config.json"), JSON.stringify(badConfig));
  mkdirSync(path.join(context.data, "logs"));
  writeFileSync(
    path.join(context.data, "logs", "holdfast.log"),
    `${JSON.stringify({ level: 30, time: HOSTILE, msg: HOSTILE, [HOSTILE]: HOSTILE })}\n${HOSTILE.replaceAll(/\s+/gu, " ")}\n`,
  );
  for (const [name, state] of [
    [NAME, "not JSON"],
    [`agent-${INJECTED}\n`, JSON.stringify({ agent_id: HOSTILE, phase: HOSTILE })],
  ] as const) {
    mkdirSync(path.join(context.states, name), { recursive: true });
    writeFileSync(path.join(context.states, name, "state.json"), state);
  }
  const outputs = await run(preparation(context), { inTerminal: false });
  const error = outputs.find((output) => output.startsWith("holdfast:"));
  if (error !== undefined) throw new Error(error);
});
afterAll(async () => {
  await hostile.close();
  await refusing.close();
  rmSync(folder, { recursive: true });
});

function allLines(commandContext: CommandContext): readonly CommandLine[] {
  return Object.entries(COMMAND_CASES).flatMap(([name, commandCase]) =>
    typeof commandCase === "string"
      ? []
      : commandCase.lines(commandContext).map((line) => ({ name, line, commandCase })),
  );
}

/** Runs the command lines one after another in one process, and returns the output of each. */
async function run(
  lines: readonly (readonly string[])[],
  { inTerminal }: { readonly inTerminal: boolean },
): Promise<readonly string[]> {
  const list = path.join(folder, "lines.json");
  writeFileSync(list, JSON.stringify(lines));
  const command = [
    process.execPath,
    "--conditions=holdfast-source",
    "--disable-warning=ExperimentalWarning",
    RUNNER,
    list,
  ];
  if (inTerminal) needTerminal();
  const [program = "", ...args] = inTerminal
    ? ["script", "-qec", `stty cols ${COLUMNS}; exec ${command.join(" ")}`, "/dev/null"]
    : // One pipe for stdout and stderr keeps their order.
      ["sh", "-c", 'exec "$@" 2>&1', "sh", ...command];
  const { HOLDFAST_TOKEN: _, NO_COLOR: __, FORCE_COLOR: ___, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...COMPILE_CACHE,
    HOLDFAST_DATA: context.stored,
    AGENT_WORKSPACE_ROOT: folder,
    SHELL: "/bin/sh",
    TERM: "xterm",
  };
  const child = spawn(program, args, { env });
  let received = "";
  const take = (chunk: string): void => void (received += chunk);
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  await new Promise((resolve) => child.once("close", resolve));
  const parts = received.replaceAll("\r\n", "\n").split(/\n@@\d+\n/u);
  expect([parts.length, parts.at(-1)?.trim()]).toEqual([lines.length + 2, ""]);
  return parts.slice(1, -1);
}

async function unsafeOutputOf(
  lines: readonly CommandLine[],
  { inTerminal }: { readonly inTerminal: boolean },
): Promise<readonly string[]> {
  const outputs = await run(
    lines.map(({ line }) => line),
    { inTerminal },
  );
  return outputs.flatMap((output, index) => {
    const { name = "", line = [], commandCase } = lines[index] ?? {};
    const {
      hasLines = false,
      hasLongLines = false,
      hasProgress = false,
      isData = false,
    } = commandCase ?? {};
    const command = line.join(" ").replaceAll(folder, "…");
    if (output.includes(SHOWN_MARK)) shownBy[inTerminal ? "terminal" : "pipe"].add(name);
    if (output.trim() === "") return [`${command}: printed nothing`];
    if (isData && !inTerminal) return [];
    const columns = inTerminal && !isData && !hasLongLines ? COLUMNS : null;
    const bar = hasProgress && inTerminal;
    return unsafeOutput(output, { hasLines, hasProgress: bar, columns }).map(
      (error) => `${command}: ${error}`,
    );
  });
}

/** The commands that print only IDs and figures. */
function withoutText(shown: ReadonlySet<string>): readonly string[] {
  return Object.entries(COMMAND_CASES).flatMap(([name, commandCase]) =>
    typeof commandCase === "string" || shown.has(name) ? [] : [name],
  );
}

describe("foreign text", () => {
  it("is tested with every command", async () => {
    expect(Object.keys(COMMAND_CASES).toSorted()).toEqual(
      [...commandNames(await program(["complete"]))].toSorted(),
    );
  });

  it("is text to a pipe, in every field of every command", async () => {
    const errors = await unsafeOutputOf(allLines(context), { inTerminal: false });
    expect(errors).toEqual([]);
  });

  it("is text to a terminal, in every field of every command", async () => {
    const errors = await unsafeOutputOf(allLines(context), { inTerminal: true });
    expect(errors).toEqual([]);
  });

  it("is text in every error message", async () => {
    const lines = allLines({ ...context, url: refusing.url }).filter(({ line }) =>
      line.includes(refusing.url),
    );
    expect(await unsafeOutputOf(lines, { inTerminal: true })).toEqual([]);
  });

  it("is one quoted word in a suggested command", async () => {
    const [output = ""] = await run([["inbox", "--url", hostile.url]], { inTerminal: true });
    const suggestions = withoutStyles(output)
      .split("\n")
      .filter((line) => line.includes("holdfast resume"));
    expect(suggestions.length).toBeGreaterThan(3);
    const word = /(?:'[^']*'(?:\\''[^']*')*|[\w.:@%+=,/-]+)/u.source;
    const pattern = new RegExp(
      `^  holdfast resume ${word} --suspension ${word} --answer ${word}$`,
      "u",
    );
    expect(suggestions.filter((line) => !pattern.test(line))).toEqual([]);
  });

  it("was printed by every command that could", () => {
    expect(withoutText(shownBy.pipe)).toEqual([
      "create",
      "cancel",
      "resume",
      "archive",
      "fork",
      "compare",
      "restore",
      "login",
      "logout",
      "repos add",
      "cleanup",
    ]);
  });

  it("was printed on a terminal by every command that could", () => {
    needTerminal();
    expect(withoutText(shownBy.terminal)).toEqual(["login", "logout", "cleanup"]);
  });
});
