import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../domain/json.ts";
import { replayTranscript } from "../../providers/testing/replay-transcript.ts";
import { permissionSubject } from "./permission-subject.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-subject-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const subjectOf = (request: JsonObject, where: string | null = folder) =>
  permissionSubject(request, { fingerprint: "f", folder: where });

const pathsOf = async (input: Json, where: string | null = folder): Promise<readonly string[]> =>
  (await subjectOf({ kind: "edit", input }, where)).paths;

const commandOf = async (input: Json): Promise<unknown> =>
  (await subjectOf({ kind: "execute", title: "shown", input })).command;

const WRITES = { kind: "edit", paths: ["out.txt"], command: null };
const RUNS = {
  kind: "execute",
  command: { line: "touch /repo/cmd-ran && uname -s", is: "exact" },
};

describe("the requests of real agents", () => {
  it.each([
    [
      "claude",
      [
        { ...WRITES, tool: "Write" },
        { ...RUNS, tool: "Bash", paths: ["cmd-ran"] },
      ],
    ],
    [
      "cline",
      [
        WRITES,
        {
          kind: "execute",
          command: { line: "bash\n-lc\ntouch /repo/cmd-ran && uname -s", is: "exact" },
        },
      ],
    ],
    [
      "codex",
      [
        {
          kind: "execute",
          command: { line: "echo hello from the fake model > /repo/out.txt", is: "exact" },
          folder: "/repo",
        },
      ],
    ],
    ["copilot", [WRITES, RUNS]],
    ["droid", [WRITES, RUNS]],
    ["opencode", [WRITES, RUNS]],
    ["qwen", [{ ...WRITES, tool: "write_file" }, RUNS]],
    [
      "gemini",
      [{ kind: "execute", command: { line: "touch /repo/cmd-ran && uname -s", is: "shown" } }],
    ],
  ])("is understood: %s", async (name, expected) => {
    const asked = replayTranscript(name).steps.flatMap((step) =>
      step.step === "permission" ? [step.permission.request] : [],
    );
    const subjects = await Promise.all(asked.map((request) => subjectOf(request, "/repo")));
    for (const one of expected) expect(subjects).toContainEqual(expect.objectContaining(one));
  });
});

describe("a command", () => {
  it("is read from a text, from words, and from several of them", async () => {
    const exact = (line: string) => ({ line, is: "exact" });
    expect(await commandOf({ command: "ls -l" })).toEqual(exact("ls -l"));
    expect(await commandOf({ cmd: ["bash", "-lc", "ls; pwd"] })).toEqual(
      exact("bash -lc 'ls; pwd'"),
    );
    expect(await commandOf({ command: "git", args: ["log", "a b"] })).toEqual(
      exact("git log 'a b'"),
    );
    expect(await commandOf({ command: "ls", commands: ["ls", "rm x"] })).toEqual(exact("ls\nrm x"));
  });

  it("that is not told is only what is shown", async () => {
    for (const input of [null, {}, { command: "" }, { command: 7 }, "ls"]) {
      expect(await commandOf(input)).toEqual({ line: "shown", is: "shown" });
    }
    expect((await subjectOf({ kind: "edit", title: "x", input: null })).command).toBe(null);
  });
});

describe("paths", () => {
  it("are relative inside the folder, and absolute outside of it", async () => {
    expect(await pathsOf({ path: "a/b" })).toEqual(["a/b"]);
    expect(await pathsOf({ file_path: path.join(folder, "a") })).toEqual(["a"]);
    expect(await pathsOf({ path: "a/../b" })).toEqual(["b"]);
    expect(await pathsOf({ path: "." })).toEqual(["."]);
    expect(await pathsOf({ path: "..a" })).toEqual(["..a"]);
    expect(await pathsOf({ path: "/etc/passwd" })).toEqual(["/etc/passwd"]);
    expect(await pathsOf({ path: `file://${folder}/a` })).toEqual(["a"]);
    expect(await pathsOf({ path: "../x" })).toEqual([path.join(path.dirname(folder), "x")]);
    for (const odd of ["~/x", "https://host/x", "a\nb", "a\u202Eb"]) {
      expect(await pathsOf({ path: odd })).toEqual([`~/${odd}`]);
    }
    expect(await pathsOf({ path: "a" }, null)).toEqual(["~/a"]);
  });

  it("are found wherever agents put them", async () => {
    const input = {
      edits: [{ file_path: "a" }, { path: "b" }],
      changes: { c: {}, d: {} },
      files: ["e", { path: "f" }],
      source: "g",
      patch:
        "*** Begin Patch\n*** Update File: h\n*** Move to: i\n*** Delete File: j\n*** End Patch",
    };
    expect(await pathsOf(input)).toEqual(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
    expect(
      await subjectOf({ kind: "other", input: "*** Begin Patch\n*** Add File: a" }),
    ).toMatchObject({ kind: "edit", paths: ["a"] });
  });

  it("count as where links lead, too", async () => {
    mkdirSync(path.join(folder, "real"));
    symlinkSync("real", path.join(folder, "inside"));
    symlinkSync("/etc", path.join(folder, "outside"));
    symlinkSync("/nowhere/at/all", path.join(folder, "dangling"));
    expect(await pathsOf({ path: "inside/new/a" })).toEqual(["inside/new/a", "real/new/a"]);
    expect(await pathsOf({ path: "outside/new" })).toEqual(["outside/new", "/etc/new"]);
    expect(await pathsOf({ path: "dangling" })).toEqual(["dangling", "/nowhere/at/all"]);
  });
});
