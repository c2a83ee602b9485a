import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CORPUS } from "../../packages/server/src/cli/gaia/testing/corpus.ts";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { startHoldfast } from "../e2e/holdfast-process.ts";
import { openCommandDoor, type CommandDoor } from "./command-door.ts";

const SERVER = path.resolve(import.meta.dirname, "../../packages/server");
const MODULE = path.join(SERVER, "python", "agent_session.py");
/** `python3`, and the oldest and newest that are promised where they are installed beside it. */
const PYTHONS = [
  "python3",
  ...["python3.9", "python3.13"].filter(
    (program) => spawnSync(program, ["--version"]).status === 0,
  ),
];

let folder: string;
let door: CommandDoor;
beforeAll(async () => {
  door = await openCommandDoor();
});
afterAll(() => door.close());
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-agent-session-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(PYTHONS)("agent_session.py on %s", (python) => {
  beforeEach(() => needProgram(python, "python3"));

  it("rulings 13 and 22: callers that import it need no edit", async () => {
    const called = await run(python, [here("use_agent_session.py"), path.dirname(MODULE)]);
    expect(called).toMatchObject({ code: 0, stdout: "" });
  });

  it("rulings 13 and 22: callers of its command line need no edit", async () => {
    const gaia = (...words: string[]) => run(python, [MODULE, ...words]);
    const created = await gaia("create", "--agent", "terraform-architect", "--purpose", "test");
    expect(created.stdout).toMatch(/^Created session: agent-\d{8}-\d{6}-[0-9a-f]{8}\n$/u);
    const id = created.stdout.trim().split(" ").at(-1) ?? "";
    const quiet = { code: 0, stderr: "" };
    expect(await gaia("should-resume", id)).toEqual({
      code: 1,
      stdout: `Should resume ${id}: False\n`,
      stderr: "",
    });
    expect(await gaia("update", id, "--phase", "approval", "--error", "one")).toEqual({
      ...quiet,
      stdout: `Updated session: ${id}\n`,
    });
    expect(await gaia("should-resume", id)).toEqual({
      ...quiet,
      stdout: `Should resume ${id}: True\n`,
    });
    const got: unknown = JSON.parse((await gaia("get", id)).stdout);
    expect(got).toMatchObject({ agent_id: id, phase: "approval", purpose: "test" });
    const listed = await gaia("list", "--active-only", "--agent", "terraform-architect");
    const { last_updated: at } = Object(got);
    expect(listed).toEqual({
      ...quiet,
      stdout: `\nFound 1 sessions:\n\nACTIVE ${id}\n  Agent: terraform-architect, Phase: approval\n  Last updated: ${at}\n  Errors: 1\n\n`,
    });
    expect(await gaia("finalize", id, "completed", "--summary", "Done.")).toEqual({
      ...quiet,
      stdout: `Finalized session: ${id}\n`,
    });
    expect(await gaia("list", "--active-only")).toEqual({
      ...quiet,
      stdout: "No sessions found\n",
    });
    expect(await gaia("cleanup", "--hours", "24")).toEqual({
      ...quiet,
      stdout: "Cleaned up 0 sessions older than 24h\n",
    });
    expect(await gaia("get", "nobody")).toEqual({
      code: 1,
      stdout: "Session nobody not found\n",
      stderr: "",
    });
    expect(await gaia("update", "nobody", "--phase", "planning")).toEqual({
      ...quiet,
      stdout: "Failed to update session: nobody\n",
    });
    expect(await gaia("finalize", id, "failed")).toMatchObject({ code: 2, stdout: "" });
  });

  it("B8, ruling 22: an exported folder is read by GAIA's way of reading it", async () => {
    const states = path.join(folder, "session");
    for (const [name, state] of Object.entries(CORPUS)) {
      mkdirSync(path.join(states, name), { recursive: true });
      // Files without one of GAIA's fields would not be read by its scripts anyway.
      const whole = {
        agent_id: name,
        last_updated: "2026-01-12 09:00:00",
        history: [],
        last_error: null,
      };
      const given = Object.entries(state).filter(([, value]) => value !== null);
      writeFileSync(
        path.join(states, name, "state.json"),
        JSON.stringify({ ...whole, ...Object.fromEntries(given) }),
      );
    }
    const exported = path.join(folder, "exported");
    expect(await holdfast("import", states)).toMatchObject({ code: 0 });
    const made = await holdfast("create", "--agent", "ada");
    await holdfast("update", made.stdout.trim(), "--phase", "planning", "--error", "oops");
    expect(await holdfast("export", "--format", "gaia", "--to", exported)).toMatchObject({
      code: 0,
    });

    const read = await run(python, [here("read_states.py"), exported]);
    expect({ code: read.code, stderr: read.stderr }).toEqual({ code: 0, stderr: "" });
    const names: unknown[] = JSON.parse(read.stdout);
    expect(names).toHaveLength(Object.keys(CORPUS).length + 1);
    expect(names[0]).toBe(made.stdout.trim());
  });
});

describe("agent_session.py", () => {
  it("rulings 13 and 22: works through a running server", async () => {
    needProgram("python3");
    const server = await startHoldfast({ data: path.join(folder, "data") });
    try {
      const called = await run("python3", [
        here("use_agent_session.py"),
        path.dirname(MODULE),
        "approval",
      ]);
      expect(called).toMatchObject({ code: 0, stdout: "" });
    } finally {
      await server.end("SIGTERM");
    }
  });

  it("is written in the language of Python 3.9", async () => {
    needProgram("python3");
    const check = "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 9))";
    const parsed = spawnSync("python3", ["-c", check], { input: readFileSync(MODULE) });
    expect({ status: parsed.status, stderr: String(parsed.stderr) }).toEqual({
      status: 0,
      stderr: "",
    });
  });

  it("comes with the package", () => {
    const { files }: { files: string[] } = JSON.parse(
      readFileSync(path.join(SERVER, "package.json"), "utf8"),
    );
    expect(files).toContain(path.relative(SERVER, path.dirname(MODULE)));
  });
});

const here = (name: string): string => path.join(import.meta.dirname, name);
const holdfast = (...words: string[]) => {
  const [program = "", file = ""] = door.command;
  return run(program, [file, ...words]);
};

interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, words: readonly string[]): Promise<Ended> {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    HOLDFAST_BIN: door.command.map((word) => `'${word}'`).join(" "),
    HOLDFAST_DATA: path.join(folder, "data"),
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONIOENCODING: "utf-8",
  };
  return new Promise((resolve) => {
    execFile(program, words, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    );
  });
}
