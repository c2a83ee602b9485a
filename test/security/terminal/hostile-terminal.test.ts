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
  preparing,
  type CommandCase,
  type Surroundings,
} from "./command-lines.ts";
import { openHostileServer, type HostileServer } from "../hostile/hostile-server.ts";
import { complaintsAbout, HOSTILE, INJECTED, withoutStyles } from "./payload.ts";

const RUNNER = path.resolve(import.meta.dirname, "run-commands.ts");
const COLUMNS = 100;
/** Of the text itself, so that it is known to have been shown. */
const SEEN = "begin";
/** What may be in the name of a folder. */
const NAME = "evil\u001B[2J\u009D\u202E\n";

let folder: string;
let hostile: HostileServer;
let refusing: HostileServer;
let around: Surroundings;
/** Commands that have shown what they were given. */
const seen = { pipe: new Set<string>(), terminal: new Set<string>() };

interface CommandLine {
  readonly name: string;
  readonly line: readonly string[];
  readonly shown: CommandCase;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-hostile-"));
  const text = (): string => HOSTILE;
  hostile = await openHostileServer({ text });
  refusing = await openHostileServer({ text, refuses: true });
  around = {
    url: hostile.url,
    data: path.join(folder, "data"),
    stored: path.join(folder, "stored"),
    states: path.join(folder, "states"),
    repository: path.join(folder, NAME),
    folder,
  };
  const badConfig = { providers: { [HOSTILE]: { type: HOSTILE } }, [HOSTILE]: HOSTILE };
  mkdirSync(path.join(around.repository, ".git"), { recursive: true });
  mkdirSync(around.data, { mode: 0o700 });
  mkdirSync(path.join(around.data, "fresh"), { mode: 0o700 });
  writeFileSync(path.join(around.data, "holdfast.config.json"), JSON.stringify(badConfig));
  for (const [name, state] of [
    [NAME, "no JSON"],
    [`agent-${INJECTED}\n`, JSON.stringify({ agent_id: HOSTILE, phase: HOSTILE })],
  ] as const) {
    mkdirSync(path.join(around.states, name), { recursive: true });
    writeFileSync(path.join(around.states, name, "state.json"), state);
  }
  const prepared = await run(preparing(around), { inTerminal: false });
  const refused = prepared.find((said) => said.startsWith("holdfast:"));
  if (refused !== undefined) throw new Error(refused);
});
afterAll(async () => {
  await hostile.close();
  await refusing.close();
  rmSync(folder, { recursive: true });
});

function allLines(surroundings: Surroundings): readonly CommandLine[] {
  return Object.entries(COMMAND_CASES).flatMap(([name, shown]) =>
    typeof shown === "string"
      ? []
      : shown.lines(surroundings).map((line) => ({ name, line, shown })),
  );
}

/** What each of the command lines said, on stdout and stderr, one after the other in one process. */
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
    : // One pipe for both, so that what was said first is read first.
      ["sh", "-c", 'exec "$@" 2>&1', "sh", ...command];
  const { HOLDFAST_TOKEN: _, NO_COLOR: __, FORCE_COLOR: ___, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...COMPILE_CACHE,
    HOLDFAST_DATA: around.stored,
    AGENT_WORKSPACE_ROOT: folder,
    SHELL: "/bin/sh",
    TERM: "xterm",
  };
  const child = spawn(program, args, { env });
  let said = "";
  const take = (chunk: string): void => void (said += chunk);
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  await new Promise((resolve) => child.once("close", resolve));
  const parts = said.replaceAll("\r\n", "\n").split(/\n@@\d+\n/u);
  expect([parts.length, parts.at(-1)?.trim()]).toEqual([lines.length + 2, ""]);
  return parts.slice(1, -1);
}

async function complaintsOf(
  lines: readonly CommandLine[],
  { inTerminal }: { readonly inTerminal: boolean },
): Promise<readonly string[]> {
  const outputs = await run(
    lines.map(({ line }) => line),
    { inTerminal },
  );
  return outputs.flatMap((output, index) => {
    const { name = "", line = [], shown } = lines[index] ?? {};
    const { hasLines = false, hasProgress = false, isData = false } = shown ?? {};
    const what = line.join(" ").replaceAll(folder, "…");
    if (output.includes(SEEN)) seen[inTerminal ? "terminal" : "pipe"].add(name);
    if (output.trim() === "") return [`${what}: said nothing`];
    if (isData && !inTerminal) return [];
    const columns = inTerminal && !isData ? COLUMNS : null;
    const bar = hasProgress && inTerminal;
    return complaintsAbout(output, { hasLines, hasProgress: bar, columns }).map(
      (complaint) => `${what}: ${complaint}`,
    );
  });
}

/** Those that show ids and figures only. */
function bare(shown: ReadonlySet<string>): readonly string[] {
  return Object.entries(COMMAND_CASES).flatMap(([name, given]) =>
    typeof given === "string" || shown.has(name) ? [] : [name],
  );
}

describe("what others have written", () => {
  it("has a case for every command there is", async () => {
    expect(Object.keys(COMMAND_CASES).toSorted()).toEqual(
      [...commandNames(await program(["complete"]))].toSorted(),
    );
  });

  it("is text to a pipe, in every field of every command", async () => {
    const complaints = await complaintsOf(allLines(around), { inTerminal: false });
    expect(complaints).toEqual([]);
  });

  it("is text to a terminal, in every field of every command", async () => {
    const complaints = await complaintsOf(allLines(around), { inTerminal: true });
    expect(complaints).toEqual([]);
  }, 120_000);

  it("is text in every refusal", async () => {
    const lines = allLines({ ...around, url: refusing.url }).filter(({ line }) =>
      line.includes(refusing.url),
    );
    expect(await complaintsOf(lines, { inTerminal: true })).toEqual([]);
  }, 120_000);

  it("is one word in a command that is offered to be copied", async () => {
    const [said = ""] = await run([["inbox", "--url", hostile.url]], { inTerminal: true });
    const offered = withoutStyles(said)
      .split("\n")
      .filter((line) => line.includes("holdfast resume"));
    expect(offered.length).toBeGreaterThan(3);
    const word = /(?:'[^']*'(?:\\''[^']*')*|[\w.:@%+=,/-]+)/u.source;
    const whole = new RegExp(
      `^  holdfast resume ${word} --suspension ${word} --answer ${word}$`,
      "u",
    );
    expect(offered.filter((line) => !whole.test(line))).toEqual([]);
  });

  it("was shown by every command that could", () => {
    expect(bare(seen.pipe)).toEqual(["create", "fork", "repos add", "cleanup"]);
  });

  it("was shown on a terminal by every command that could", () => {
    needTerminal();
    expect(bare(seen.terminal)).toEqual(["cleanup"]);
  });
});
