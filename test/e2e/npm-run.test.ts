import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";

const repository = path.resolve(import.meta.dirname, "../..");

it("npm run holdfast resolves paths against the folder of the caller", () => {
  needProgram("git");
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-npm-run-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync("git", ["init", "--quiet", folder]);
  // The folder and the variables in which npm runs a script of the repository.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/holdfast.mjs", "repos", "add", ".", "--json"],
    {
      cwd: repository,
      encoding: "utf8",
      env: {
        ...process.env,
        INIT_CWD: folder,
        npm_package_json: path.join(repository, "package.json"),
        HOLDFAST_DATA: path.join(folder, "data"),
        HOLDFAST_DATABASE_URL: "",
        AGENT_WORKSPACE_ROOT: "",
      },
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ path: folder });
});
