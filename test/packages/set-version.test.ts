import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../architecture/read-sources.ts";

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly workspaces: readonly string[];
};
const FILES = [
  "package.json",
  "package-lock.json",
  ...manifest.workspaces.map((folder) => `${folder}/package.json`),
  "docs/acp-registry/agent.json",
];

function setVersion(version: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-version-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of ["scripts/run.mjs", "scripts/set-version.mjs", ...FILES])
    cpSync(path.join(root, file), path.join(folder, file));
  const script = path.join(folder, "scripts", "set-version.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, version], { encoding: "utf8" });
  const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");
  return { status, stderr, read };
}

it("npm run set-version changes the version of all packages and of nothing else", () => {
  const { status, read } = setVersion("77.8.9");
  expect(status).toBe(0);
  const old = (
    JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string }
  ).version;
  for (const file of FILES) {
    const before = readFileSync(path.join(root, file), "utf8");
    const after = read(file);
    expect(JSON.parse(after)).toMatchObject({ version: "77.8.9" });
    expect(after).not.toMatch(new RegExp(`"@holdfast/\\w+": "${old.replaceAll(".", "\\.")}"`, "u"));
    expect(after.replaceAll("77.8.9", old)).toBe(before);
  }
});

it("npm run set-version refuses what is no version", () => {
  expect(setVersion("next")).toMatchObject({
    status: 1,
    stderr: "Give one version, such as 1.2.3: npm run set-version -- 1.2.3\n",
  });
});
