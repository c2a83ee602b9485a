import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { serveSettings, type Environment } from "./settings.ts";
import { commonFolder, howToWidenRoot, repositoryAround, shellWord } from "./workspace-root.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-root-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["flag", "variable", "config", "started/inner"])
    mkdirSync(path.join(folder, name), { recursive: true });
});

const at = (name: string): string => path.join(folder, name);

/** As npm starts a server for a person in the folder `started/inner`. */
const startedIn = (name: string): Environment => ({
  npm_lifecycle_event: "start",
  npm_package_name: "holdfast-repository",
  INIT_CWD: at(name),
});

function rootOf(environment: Environment, flag?: string): string {
  const flags = { data: folder, ...(flag !== undefined && { workspaceRoot: flag }) };
  return serveSettings(flags, environment).workspaceRoot;
}

function writeConfig(workspaceRoot: string): void {
  writeFileSync(at("holdfast.config.json"), JSON.stringify({ workspaceRoot }));
}

describe("the workspace root", () => {
  it("comes from the flag, else the environment, else the config file", () => {
    writeConfig(at("config"));
    const environment = { AGENT_WORKSPACE_ROOT: at("variable") };
    expect(rootOf(environment, at("flag"))).toBe(at("flag"));
    expect(rootOf(environment)).toBe(at("variable"));
    expect(rootOf({ AGENT_WORKSPACE_ROOT: "" })).toBe(at("config"));
  });

  it("can be relative to the folder in which the server was started", () => {
    const started = startedIn("started");
    expect(rootOf(started, "inner")).toBe(at("started/inner"));
    expect(rootOf({ ...started, AGENT_WORKSPACE_ROOT: "inner" })).toBe(at("started/inner"));
    const relative = path.relative(process.cwd(), folder);
    expect(rootOf({ AGENT_WORKSPACE_ROOT: relative })).toBe(folder);
  });

  it("can be relative to the home folder in the config file", () => {
    writeConfig("~");
    expect(rootOf({})).toBe(homedir());
  });

  it("is by default the repository around the folder of the start, else that folder", () => {
    expect(rootOf(startedIn("started/inner"))).toBe(at("started/inner"));
    mkdirSync(at("started/.git"));
    expect(rootOf(startedIn("started/inner"))).toBe(at("started"));
    expect(rootOf({ ...startedIn("started/inner"), npm_package_name: "another" })).toBe(
      repositoryAround(process.cwd()),
    );
  });

  it("is refused with the place to correct if it is not a folder", () => {
    const gone = at("gone");
    const refused = (advice: string) => ({
      message: `The workspace root ${gone} is not a folder. ${advice}`,
      exitCode: 64,
    });
    const failure = (read: () => string): unknown => {
      try {
        return read();
      } catch (error) {
        return error;
      }
    };
    expect(failure(() => rootOf({}, gone))).toMatchObject(
      refused("Pass an existing folder to --workspace-root."),
    );
    expect(failure(() => rootOf({ AGENT_WORKSPACE_ROOT: gone }))).toMatchObject(
      refused("Set AGENT_WORKSPACE_ROOT to an existing folder."),
    );
    writeConfig(gone);
    expect(failure(() => rootOf({}))).toMatchObject(
      refused('Change "workspaceRoot" in the config file to an existing folder.'),
    );
  });
});

describe("the repository around a folder", () => {
  it("is the nearest one, and may be a worktree, whose .git is a file", () => {
    expect(repositoryAround(at("started/inner"))).toBeNull();
    mkdirSync(at("started/.git"));
    expect(repositoryAround(at("started/inner"))).toBe(at("started"));
    writeFileSync(at("started/inner/.git"), "gitdir: elsewhere");
    expect(repositoryAround(at("started/inner"))).toBe(at("started/inner"));
    expect(repositoryAround(at("started/inner/missing"))).toBe(at("started/inner"));
  });
});

describe("the advice for a path outside the root", () => {
  it("names the smallest root that contains both", () => {
    expect(commonFolder("/home/me/one", "/home/me/two/inner")).toBe("/home/me");
    expect(commonFolder("/home/me", "/home/me/two")).toBe("/home/me");
    expect(commonFolder("/home/me/one", "/home/me/one-2")).toBe("/home/me");
    expect(commonFolder("/home/me", "/srv/two")).toBeNull();
    expect(howToWidenRoot("/home/me/one", "/home/me/my files")).toMatch(
      / --workspace-root \/home\/me$/u,
    );
    expect(howToWidenRoot("/home/me", "/srv/my files")).toMatch(
      / --workspace-root '\/srv\/my files'$/u,
    );
    expect(howToWidenRoot("/home/me", null)).toMatch(/ --workspace-root FOLDER$/u);
  });

  it("quotes a folder for the shell", () => {
    expect(shellWord("/a/b-c_d.e")).toBe("/a/b-c_d.e");
    expect(shellWord("it's $HOME")).toBe(String.raw`'it'\''s $HOME'`);
  });
});
