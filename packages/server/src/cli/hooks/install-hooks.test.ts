import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../storage/sqlite/testing/test-file.ts";
import { fakeTerminal } from "../terminal/testing/fake-terminal.ts";
import { hookProgram } from "./hook-command.ts";
import { installHooks, type InstallFlags, type InstallOptions } from "./install-hooks.ts";

/** As people have it: other hooks, permissions in one line, keys that nobody here knows. */
const LIVED_IN = `{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "permissions": {
        "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)"],
        "deny": [ "Read(./.env)" ],
        "defaultMode": "acceptEdits"
    },
    "env": { "CLAUDE_CODE_ENABLE_TELEMETRY": "1", "10": "a number for a name" },
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    { "type": "command", "command": "jq -r .tool_input.command >> ~/log", "timeout": 5 }
                ]
            }
        ],
        "Stop": []
    },
    "cleanupPeriodDays": 30.0
}
`;

const OURS = (command: string, more = ""): string => `[
            {${more}
                "hooks": [
                    {
                        "type": "command",
                        "command": "${command}",
                        "timeout": 10
                    }
                ]
            }
        ]`;

describe("hook install", () => {
  it("adds both hooks to existing settings and changes nothing else", async () => {
    const project = newProject(LIVED_IN);
    expect(await installed({ project, yes: true })).toMatchObject({ code: 0 });

    const pre = OURS("holdfast hook pre-delegate", '\n                "matcher": "Task|Agent",');
    expect(settingsOf(project)).toBe(
      LIVED_IN.replace(
        /(\n {12}\})\n {8}\],\n {8}"Stop": \[\]/u,
        `$1,${pre.slice(1, -10)}
        ],
        "Stop": [],
        "SubagentStart": ${OURS("holdfast hook pre-delegate")},
        "SubagentStop": ${OURS("holdfast hook subagent-stop")}`,
      ),
    );
  });

  it("shows the change before writing it", async () => {
    const project = newProject('{\n\t"model": "opus"\n}');
    const { screen } = await installed({ project, dryRun: true });

    expect(screen).toContain('+ \t"hooks": {');
    expect(screen).toContain('- \t"model": "opus"\n+ \t"model": "opus",');
    expect(screen).toContain("The hooks call holdfast, which is /usr/bin/holdfast on the PATH.");
    expect(settingsOf(project)).toBe('{\n\t"model": "opus"\n}');
  });

  it("changes nothing the second time, and updates the path of a moved program", async () => {
    const project = newProject(LIVED_IN);
    await installed({ project, yes: true });
    const once = settingsOf(project);
    const again = await installed({ project, yes: true });
    expect(again).toMatchObject({
      code: 0,
      screen: expect.stringContaining("already has the hooks"),
    });
    expect(settingsOf(project)).toBe(once);

    writeFileSync(fileIn(project), once.replaceAll('"timeout": 10', '"timeout": 7'));
    const program = { command: "/usr/bin/node '/opt/hold fast/bin/holdfast.js'", onPath: null };
    await installed({ project, yes: true, data: "/srv/data" }, { program });
    expect(settingsOf(project)).toBe(
      once
        .replaceAll('"timeout": 10', '"timeout": 7')
        .replaceAll(/holdfast hook ([a-z-]+)/gu, `${program.command} hook $1 --data /srv/data`),
    );
    await installed({ project, uninstall: true, yes: true });
    expect(settingsOf(project)).toBe(LIVED_IN);
  });

  it("removes exactly our hooks and the containers that are empty without them", async () => {
    const project = newProject(LIVED_IN);
    await installed({ project, yes: true });
    expect(await installed({ project, uninstall: true, yes: true })).toMatchObject({ code: 0 });
    expect(settingsOf(project)).toBe(LIVED_IN);
    expect(await installed({ project, uninstall: true, yes: true })).toMatchObject({
      code: 0,
      screen: expect.stringContaining("has no hooks of Holdfast"),
    });

    const shared = {
      hooks: {
        SubagentStop: [
          {
            hooks: [
              { type: "command", command: "say done" },
              { type: "command", command: "holdfast hook subagent-stop" },
            ],
          },
        ],
        PreToolUse: [],
      },
    };
    writeFileSync(fileIn(project), JSON.stringify(shared));
    await installed({ project, uninstall: true, yes: true });
    expect(JSON.parse(settingsOf(project))).toEqual({
      hooks: {
        SubagentStop: [{ hooks: [{ type: "command", command: "say done" }] }],
        PreToolUse: [],
      },
    });
  });

  it("creates a missing file to install, but not to uninstall", async () => {
    const project = temporaryFolder();
    await installed({ project, uninstall: true, yes: true });
    expect(existsSync(path.join(project, ".claude"))).toBe(false);

    await installed({ project, local: true, yes: true });
    const file = path.join(project, ".claude", "settings.local.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      hooks: {
        PreToolUse: [{ matcher: "Task|Agent", hooks: [entry("pre-delegate")] }],
        SubagentStart: [{ hooks: [entry("pre-delegate")] }],
        SubagentStop: [{ hooks: [entry("subagent-stop")] }],
      },
    });
    await installed({ project, local: true, uninstall: true, yes: true });
    expect(readFileSync(file, "utf8")).toBe("{}\n");
  });

  it.each([
    { text: '{\n  "env": {},\n  hooks: {}\n}', line: 3 },
    { text: '{\n  // mine\n  "env": {}\n}', line: 2 },
    { text: '{\n  "env": {}\n', line: 3 },
    { text: '{\n  "a": 1,\n  "a": 2\n}', line: 3 },
    { text: "[]", line: 1 },
    { text: '{\n  "hooks": []\n}', line: 2 },
    { text: '{\n  "hooks": {\n    "Stop": {}\n  }\n}', line: 3 },
    { text: '{\n  "hooks": {\n    "Stop": [\n      "x"\n    ]\n  }\n}', line: 4 },
  ])("refuses a broken file with the line, and leaves it: $text", async ({ text, line }) => {
    const project = newProject(text);
    await expect(installed({ project, yes: true })).rejects.toThrow(
      new RegExp(`settings\\.json, line ${line}: .*Nothing was changed\\.$`, "u"),
    );
    expect(settingsOf(project)).toBe(text);
  });

  it("asks for confirmation and changes nothing after a no", async () => {
    const project = newProject("{}");
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => {
      asked.push(question);
      return asked.length > 1;
    };
    expect(await installed({ project }, { ask, isTerminal: true })).toMatchObject({ code: 1 });
    expect(settingsOf(project)).toBe("{}");
    expect(await installed({ project }, { ask, isTerminal: true })).toMatchObject({ code: 0 });
    expect(settingsOf(project)).not.toBe("{}");
    const question = `Write this to ${realpathSync(fileIn(project))}?`;
    expect(asked).toEqual([question, question]);
  });

  it("writes nothing for a script without --yes", async () => {
    const project = newProject("{}");
    await expect(installed({ project })).rejects.toMatchObject({ exitCode: 64 });
    await expect(installed({ project, user: true })).rejects.toMatchObject({ exitCode: 64 });
    await expect(installed({ project: "/not/there" })).rejects.toMatchObject({ exitCode: 64 });
    await expect(
      installed({ project, yes: true, database: "postgres://me:secret@db/x" }),
    ).rejects.toMatchObject({ exitCode: 64 });
    expect(settingsOf(project)).toBe("{}");
  });

  it("does not overwrite a change that another program made in the meantime", async () => {
    const project = newProject("{}");
    const ask = async (): Promise<boolean> => {
      writeFileSync(fileIn(project), '{"model":"opus"}');
      return true;
    };
    await expect(installed({ project }, { ask, isTerminal: true })).rejects.toThrow(
      /changed by another program/u,
    );
    expect(settingsOf(project)).toBe('{"model":"opus"}');
  });

  it("keeps the file's mode and byte order mark, and leaves no draft behind", async () => {
    const project = newProject('\uFEFF{\r\n\t"model": "opus"\r\n}\r\n');
    chmodSync(fileIn(project), 0o640);
    await installed({ project, yes: true });

    expect(statSync(fileIn(project)).mode & 0o777).toBe(0o640);
    expect(settingsOf(project)).toMatch(
      /^\uFEFF\{\r\n\t"model": "opus",\r\n\t"hooks": \{\r\n\t\t"Pre/u,
    );
    expect(settingsOf(project).replaceAll("\r\n", "")).not.toContain("\n");
    expect(readdirSync(path.dirname(fileIn(project)))).toEqual(["settings.json"]);
  });

  it("follows a link inside the project, but not one that leads out of it", async () => {
    const project = newProject("{}");
    const real = path.join(project, "shared.json");
    writeFileSync(real, "{}");
    symlinkSync(real, path.join(project, ".claude", "settings.local.json"));
    const { screen } = await installed({ project, local: true, yes: true });
    expect(screen).toContain(`leads to ${realpathSync(real)}`);
    expect(readFileSync(real, "utf8")).toContain("hook pre-delegate");

    const outside = path.join(temporaryFolder(), "theirs.json");
    writeFileSync(outside, "{}");
    const other = temporaryFolder();
    mkdirSync(path.join(other, ".claude"));
    symlinkSync(outside, fileIn(other));
    await expect(installed({ project: other, yes: true })).rejects.toThrow(/leads out of/u);
    expect(readFileSync(outside, "utf8")).toBe("{}");

    const third = temporaryFolder();
    symlinkSync(path.dirname(outside), path.join(third, ".claude"));
    await expect(installed({ project: third, yes: true })).rejects.toThrow(/leads out of/u);
    expect(readdirSync(path.dirname(outside))).toEqual(["theirs.json"]);

    const fourth = temporaryFolder();
    mkdirSync(path.join(fourth, ".claude"));
    symlinkSync("nowhere.json", fileIn(fourth));
    await expect(installed({ project: fourth, yes: true })).rejects.toThrow(/is a broken link/u);
  });

  it("writes the user's own settings through any link", async () => {
    const dotfiles = path.join(temporaryFolder(), "claude.json");
    writeFileSync(dotfiles, "{}");
    const own = temporaryFolder();
    symlinkSync(dotfiles, path.join(own, "settings.json"));
    const { screen } = await installed(
      { user: true, yes: true },
      { env: { CLAUDE_CONFIG_DIR: own } },
    );

    expect(screen).toContain(`leads to ${realpathSync(dotfiles)}`);
    expect(readFileSync(dotfiles, "utf8")).toContain("hook subagent-stop");
    expect(statSync(path.join(own, "settings.json")).isFile()).toBe(true);
  });

  it("reports its result as JSON", async () => {
    const project = newProject("{}");
    const { screen } = await installed({ project, yes: true, json: true });
    expect(JSON.parse(screen)).toEqual({
      jsonVersion: 1,
      file: realpathSync(fileIn(project)),
      changed: true,
      written: true,
      command: "holdfast",
      onPath: true,
    });
  });
});

describe("the command of a hook", () => {
  it("is holdfast if the PATH leads to this program, else the path of the program", () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "it's here", "holdfast.js");
    mkdirSync(path.dirname(file));
    writeFileSync(file, "", { mode: 0o755 });
    const bin = path.join(folder, "bin");
    const scripts = path.join(folder, "node_modules", ".bin");
    for (const each of [bin, scripts]) {
      mkdirSync(each, { recursive: true });
      symlinkSync(file, path.join(each, "holdfast"));
    }
    const where = { file, node: "/usr/bin/node" };
    const byPath = `/usr/bin/node '${folder}/it'\\''s here/holdfast.js'`;

    expect(hookProgram({ PATH: `relative:${bin}` }, where)).toEqual({
      command: "holdfast",
      onPath: path.join(bin, "holdfast"),
    });
    expect(hookProgram({ PATH: scripts }, where)).toEqual({ command: byPath, onPath: null });
    expect(hookProgram({ PATH: bin }, { ...where, file: "/another/holdfast.js" })).toEqual({
      command: "/usr/bin/node /another/holdfast.js",
      onPath: null,
    });
    expect(hookProgram({}, where)).toEqual({ command: byPath, onPath: null });
  });
});

function entry(hook: string): object {
  return { type: "command", command: `holdfast hook ${hook}`, timeout: 10 };
}

function newProject(settings: string): string {
  const project = temporaryFolder();
  mkdirSync(path.join(project, ".claude"));
  writeFileSync(fileIn(project), settings);
  return project;
}

function fileIn(project: string): string {
  return path.join(project, ".claude", "settings.json");
}

function settingsOf(project: string): string {
  return readFileSync(fileIn(project), "utf8");
}

async function installed(
  flags: InstallFlags,
  { isTerminal = false, ...more }: Partial<InstallOptions> & { readonly isTerminal?: boolean } = {},
): Promise<{ readonly code: number; readonly screen: string }> {
  const { terminal, stdout } = fakeTerminal({ isTerminal });
  const code = await installHooks({
    flags,
    env: {},
    terminal,
    program: { command: "holdfast", onPath: "/usr/bin/holdfast" },
    ...more,
  });
  return { code, screen: stdout() };
}
