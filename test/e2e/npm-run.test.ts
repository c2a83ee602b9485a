import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";

const repository = path.resolve(import.meta.dirname, "../..");
const script = path.join(repository, "scripts", "holdfast.mjs");

describe("a path on the command line is relative to the folder of the caller", () => {
  let folder: string;

  beforeEach(() => {
    needProgram("git");
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-npm-run-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    execFileSync("git", ["init", "--quiet", folder]);
  });

  /** Creates a session with `--repo .` and returns the path of its repository. */
  const createInDot = (
    [program = "", ...args]: readonly string[],
    { cwd, env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  ): string => {
    const call = (...words: readonly string[]): string => {
      const { status, stdout, stderr } = spawnSync(program, [...args, ...words, "--json"], {
        cwd,
        encoding: "utf8",
        env: {
          ...process.env,
          INIT_CWD: undefined,
          npm_package_json: undefined,
          ...env,
          HOLDFAST_DATA: path.join(folder, "data"),
          HOLDFAST_DATABASE_URL: "",
          AGENT_WORKSPACE_ROOT: "",
        },
      });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      return stdout;
    };
    call("create", "--repo", ".");
    const { repos } = JSON.parse(call("repos")) as { readonly repos: { readonly path: string }[] };
    return repos[0]?.path ?? "";
  };

  it("through npm run holdfast in another folder", () => {
    needProgram("npm");
    const npm = ["npm", "--prefix", repository, "run", "--silent", "holdfast", "--"];
    expect(createInDot(npm, { cwd: folder })).toBe(folder);
  });

  it("through npm run holdfast in the repository", () => {
    // The folder and the variables in which npm runs a script of the repository.
    const env = { INIT_CWD: folder, npm_package_json: path.join(repository, "package.json") };
    expect(createInDot([process.execPath, script], { cwd: repository, env })).toBe(folder);
  });

  it("through node scripts/holdfast.mjs in another folder", () => {
    expect(createInDot([process.execPath, script], { cwd: folder })).toBe(folder);
  });

  it("through node scripts/holdfast.mjs in an npm script of another project", () => {
    const other = path.join(folder, "other");
    mkdirSync(other);
    const env = { INIT_CWD: other, npm_package_json: path.join(folder, "package.json") };
    expect(createInDot([process.execPath, script], { cwd: folder, env })).toBe(folder);
  });
});
