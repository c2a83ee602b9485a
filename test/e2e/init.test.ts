import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  SCRIPTED_VARIABLE,
  type ScriptedOptions,
} from "../../packages/server/src/providers/testing/scripted-options.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
  type RunningServer,
} from "./holdfast-process.ts";
import { inTerminal, needTerminal } from "./real-terminal.ts";

const BINARY = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

let folder: string;
let data: string;
let project: string;

beforeEach(() => {
  const providers = { scripted: { type: "acp", title: "Scripted", command: scriptedCommand } };
  ({ folder, data } = prepareFolder({ providers }));
  folder = realpathSync(folder);
  project = path.join(folder, "projects", "mine");
  mkdirSync(path.join(project, ".git"), { recursive: true });
  mkdirSync(path.join(project, "src"));
  mkdirSync(path.join(folder, "projects", "other", ".git"), { recursive: true });
});
afterEach(() => removeFolder(folder));

/** Runs a command in a folder, as a person who has changed to it. */
function runIn(
  cwd: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<ProcessResult> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST|AGENT)_/u.test(name),
  );
  const env = { ...Object.fromEntries(inherited), HOLDFAST_DATA: data, ...more };
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

const configText = (): string => readFileSync(path.join(data, "holdfast.config.json"), "utf8");

/** A program in the place of Gemini CLI that behaves like this. */
function geminiWith(options: ScriptedOptions): Record<string, string> {
  const file = path.join(folder, "gemini");
  const command = scriptedCommand.map((word) => `'${word}'`).join(" ");
  writeFileSync(
    file,
    `#!/bin/sh\n${SCRIPTED_VARIABLE}='${JSON.stringify(options)}' exec ${command}\n`,
  );
  chmodSync(file, 0o755);
  return { GEMINI_CLI_PATH: file };
}

async function serveIn(root: string, env: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startHoldfast({ data, args: ["--workspace-root", root], env });
  onTestFinished(async () => void (await server.end("SIGKILL")));
  return server;
}

describe("holdfast init", () => {
  it("checks the agent with one message and writes the config file, once", async () => {
    const init = ["init", "--provider", "gemini", "--json"];
    const env = geminiWith({ modes: ["default"], otherwise: [{ step: "say", text: "ready" }] });
    const first = await runIn(path.join(project, "src"), init, env);
    expect({ ...first, stdout: "" }).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(JSON.parse(first.stdout)).toMatchObject({
      jsonVersion: 1,
      defaultProvider: "gemini",
      workspaceRoot: project,
      configFile: path.join(data, "holdfast.config.json"),
      changed: true,
      answer: "ready",
      restartNeeded: false,
      agents: expect.arrayContaining([
        {
          name: "gemini",
          title: "Gemini CLI",
          installed: true,
          version: null,
          install: "npm install -g @google/gemini-cli",
          login: expect.stringContaining("GEMINI_API_KEY"),
        },
      ]),
    });
    expect(JSON.parse(configText())).toMatchObject({
      sandbox: "off",
      providers: { scripted: { title: "Scripted" } },
      defaultProvider: "gemini",
      workspaceRoot: project,
    });
    const second = await runIn(project, init, env);
    expect(JSON.parse(second.stdout)).toMatchObject({ changed: false, workspaceRoot: project });
  });

  it("prints the answer and the next commands, and takes the first installed agent with --yes", async () => {
    const { code, stdout } = await runIn(
      project,
      ["init", "--yes"],
      geminiWith({ modes: ["default"], otherwise: [{ step: "say", text: "ready" }] }),
    );
    expect(code).toBe(0);
    expect(stdout).toContain("Gemini CLI answered: ready\n");
    expect(stdout).toContain(`Workspace root: ${project}\n`);
    expect(stdout).toMatch(
      /Next:\n {2}.* up\n {2}.* send ".*create\)" "Explain this repository"\n$/u,
    );
  });

  it("says the agent's own reason and how to log in, and writes nothing if the agent fails", async () => {
    const before = configText();
    const env = geminiWith({ auth: { methods: [], accepts: null } });
    const failed = await runIn(project, ["init", "--provider", "gemini"], env);
    expect(failed).toMatchObject({ code: 2, stdout: "" });
    expect(failed.stderr).toMatch(/^holdfast: Gemini CLI does not work yet: .*log ?in/iu);
    expect(failed.stderr).toContain("To log in: Run gemini once");
    expect(failed.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(configText()).toBe(before);

    const unchecked = await runIn(project, ["init", "--provider", "gemini", "--no-check"], env);
    expect(unchecked.code).toBe(0);
    expect(JSON.parse(configText())).toMatchObject({ defaultProvider: "gemini" });
  });

  it.each([
    [["init"], 64, /^holdfast: Pass --provider NAME/u],
    [
      ["init", "--provider", "nobody"],
      1,
      /^holdfast: There is no agent "nobody"\. Choose one of demo, /u,
    ],
    [
      ["init", "--provider", "gemini"],
      1,
      /^holdfast: Gemini CLI is not installed\. Install it with: npm install -g @google/u,
    ],
    [["init", "--yes", "--workspace-root", "gone"], 64, /gone is not a folder\.$/mu],
  ])("refuses %o", async (args, code, message) => {
    const before = configText();
    const env = { GEMINI_CLI_PATH: path.join(folder, "gone") };
    const result = await runIn(project, args, env);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(configText()).toBe(before);
  });

  it("widens the configured workspace root to a folder that contains the new repository too", async () => {
    const init = ["init", "--provider", "demo", "--no-check", "--json"];
    await runIn(project, init);
    const { stdout } = await runIn(path.join(folder, "projects", "other"), init);
    expect(JSON.parse(stdout)).toMatchObject({ workspaceRoot: path.join(folder, "projects") });
  });

  it("replaces a workspace root that no longer exists", async () => {
    const config = JSON.parse(configText()) as object;
    const gone = path.join(folder, "projects", "gone");
    writeFileSync(
      path.join(data, "holdfast.config.json"),
      JSON.stringify({ ...config, workspaceRoot: gone }),
    );
    const { code } = await runIn(project, ["init", "--provider", "demo", "--no-check"]);
    expect(code).toBe(0);
    expect(JSON.parse(configText())).toMatchObject({
      workspaceRoot: path.join(folder, "projects"),
    });
  });

  it("applies the default agent to a running server at once, and says when it must be restarted", async () => {
    const server = await serveIn(project);
    const client = createClient(server);
    const init = ["init", "--provider", "scripted", "--no-check", "--json"];
    const inside = await runIn(project, init);
    expect(JSON.parse(inside.stdout)).toMatchObject({ restartNeeded: false });
    expect((await client.providers()).defaultProvider).toBe("scripted");
    expect((await client.repos.list()).repos.map((repo) => repo.path)).toEqual([project]);

    const outside = await runIn(path.join(folder, "projects", "other"), init);
    expect(JSON.parse(outside.stdout)).toMatchObject({
      restartNeeded: true,
      workspaceRoot: path.join(folder, "projects"),
    });
  });

  it("asks a person at a terminal", async () => {
    needTerminal();
    const command = inTerminal(["init", "--no-check", "--data", data], { columns: 160 });
    onTestFinished(command.kill);
    await command.shows("HOW TO INSTALL IT AND LOG IN");
    await command.shows("Which agent should answer by default?");
    command.type("\r");
    await command.shows("In which folder may agents work?");
    command.type("\r");
    await command.shows("Default agent: ");
    await command.shows("Next:");
    expect(await command.code).toBe(0);
    expect(JSON.parse(configText())).toHaveProperty("workspaceRoot");
  });

  it("changes nothing if the person leaves the question", async () => {
    needTerminal();
    const before = configText();
    const command = inTerminal(["init", "--data", data], { columns: 160 });
    onTestFinished(command.kill);
    await command.shows("Which agent should answer by default?");
    command.type("\u001B");
    await command.shows("Nothing was changed.");
    expect(await command.code).toBe(1);
    expect(configText()).toBe(before);
  });
});

describe("holdfast create in a folder", () => {
  const repositoryOf = async (id: string, server: RunningServer) => {
    const client = createClient(server);
    const { repoId } = await client.sessions.get(id);
    const { repos } = await client.repos.list();
    return repos.find((repo) => repo.id === repoId)?.path ?? null;
  };

  it("means the repository around it", async () => {
    const server = await serveIn(path.join(folder, "projects"));
    for (const args of [["create"], ["create", "--repo", "."]]) {
      const { stdout } = await runIn(path.join(project, "src"), args);
      expect(await repositoryOf(stdout.trim(), server)).toBe(project);
    }
    const other = await runIn(project, ["create", "--repo", "../other"]);
    expect(await repositoryOf(other.stdout.trim(), server)).toMatch(/\/other$/u);
  });

  it("has none with --no-repo, for a session that tracks an agent, and outside of repositories", async () => {
    const server = await serveIn(path.join(folder, "projects"));
    for (const args of [
      ["--no-repo"],
      ["--agent", "builder"],
      ["--purpose", "test"],
      ["--id", "one"],
    ]) {
      const { stdout } = await runIn(project, ["create", ...args]);
      expect(await repositoryOf(stdout.trim(), server)).toBeNull();
    }
    expect(existsSync(path.join(folder, ".git"))).toBe(false);
    const { stdout } = await runIn(path.join(folder, "projects"), ["create"]);
    expect(await repositoryOf(stdout.trim(), server)).toBeNull();
  });

  it("is refused outside the workspace root, with the line that changes the root (A14)", async () => {
    await serveIn(project);
    const other = path.join(folder, "projects", "other");
    const { code, stdout, stderr } = await runIn(other, ["create"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      `holdfast: "${other}" is outside the workspace root ${project}. ` +
        `To change it, start the server with: holdfast serve --workspace-root ${path.join(folder, "projects")}\n`,
    );
  });
});
