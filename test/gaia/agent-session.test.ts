import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CORPUS } from "../../packages/server/src/cli/gaia/testing/corpus.ts";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { startHoldfast } from "../e2e/holdfast-process.ts";
import { openCommandProxy, type CommandProxy } from "./command-proxy.ts";

const SERVER = path.resolve(import.meta.dirname, "../../packages/server");
const MODULE = path.join(SERVER, "python", "agent_session.py");
/** `python3`, and the oldest and newest supported versions if they are installed. */
const PYTHONS = [
  "python3",
  ...["python3.9", "python3.13"].filter(
    (program) => spawnSync(program, ["--version"]).status === 0,
  ),
];

let folder: string;
let commandProxy: CommandProxy;
beforeAll(async () => {
  commandProxy = await openCommandProxy();
});
afterAll(() => commandProxy.close());
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-agent-session-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(PYTHONS)("agent_session.py on %s", (python) => {
  beforeEach(() => needProgram(python, "python3"));

  it("rulings 13 and 22: callers that import it need no change", async () => {
    const result = await run(python, [here("use_agent_session.py"), path.dirname(MODULE)]);
    expect(result).toMatchObject({ code: 0, stdout: "" });
  });

  it("rulings 13 and 22: callers of its command line need no change", async () => {
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
    const session: unknown = JSON.parse((await gaia("get", id)).stdout);
    expect(session).toMatchObject({ agent_id: id, phase: "approval", purpose: "test" });
    const list = await gaia("list", "--active-only", "--agent", "terraform-architect");
    const { last_updated: at } = Object(session);
    expect(list).toEqual({
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

  it("B8, ruling 22: GAIA's scripts can read an exported folder", async () => {
    const states = path.join(folder, "session");
    for (const [name, state] of Object.entries(CORPUS)) {
      mkdirSync(path.join(states, name), { recursive: true });
      // GAIA's scripts cannot read files that lack one of these fields.
      const required = {
        agent_id: name,
        last_updated: "2026-01-12 09:00:00",
        history: [],
        last_error: null,
      };
      const present = Object.entries(state).filter(([, value]) => value !== null);
      writeFileSync(
        path.join(states, name, "state.json"),
        JSON.stringify({ ...required, ...Object.fromEntries(present) }),
      );
    }
    const exported = path.join(folder, "exported");
    expect(await holdfast("import", states)).toMatchObject({ code: 0 });
    const created = await holdfast("create", "--agent", "ada");
    await holdfast("update", created.stdout.trim(), "--phase", "planning", "--error", "oops");
    expect(await holdfast("export", "--format", "gaia", "--to", exported)).toMatchObject({
      code: 0,
    });

    const output = await run(python, [here("read_states.py"), exported]);
    expect({ code: output.code, stderr: output.stderr }).toEqual({ code: 0, stderr: "" });
    const names: unknown[] = JSON.parse(output.stdout);
    expect(names).toHaveLength(Object.keys(CORPUS).length + 1);
    expect(names[0]).toBe(created.stdout.trim());
  });
});

describe("agent_session.py", () => {
  it("rulings 13 and 22: works through a running server", async () => {
    needProgram("python3");
    const server = await startHoldfast({ data: path.join(folder, "data") });
    try {
      const result = await run("python3", [
        here("use_agent_session.py"),
        path.dirname(MODULE),
        "approval",
      ]);
      expect(result).toMatchObject({ code: 0, stdout: "" });
    } finally {
      await server.end("SIGTERM");
    }
  });

  it("uses only the syntax of Python 3.9", async () => {
    needProgram("python3");
    const code = "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 9))";
    const check = spawnSync("python3", ["-c", code], { input: readFileSync(MODULE) });
    expect({ status: check.status, stderr: String(check.stderr) }).toEqual({
      status: 0,
      stderr: "",
    });
  });

  it("is part of the package", () => {
    const { files }: { files: string[] } = JSON.parse(
      readFileSync(path.join(SERVER, "package.json"), "utf8"),
    );
    expect(files).toContain(path.relative(SERVER, path.dirname(MODULE)));
  });
});

const here = (name: string): string => path.join(import.meta.dirname, name);
const holdfast = (...words: string[]) => {
  const [program = "", file = ""] = commandProxy.command;
  return run(program, [file, ...words]);
};

interface ProcessResult {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, words: readonly string[]): Promise<ProcessResult> {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    HOLDFAST_BIN: commandProxy.command.map((word) => `'${word}'`).join(" "),
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
