import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { layers } from "./architecture/layers.ts";
import { root } from "./architecture/read-sources.ts";
import { compilerViolations, innocents, linterViolations } from "./guards/violations.ts";

/** `file: code`, as often as it was said. */
let said: readonly string[] = [];
let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "holdfast-guards-"));
  copyConfiguration();
  for (const [path, source] of Object.entries(innocents)) write(path, source);
  write("packages/server/src/storage/ring-back.ts", 'export { a as b } from "./ring.ts";');
  for (const { path, source } of [...compilerViolations, ...linterViolations]) write(path, source);
  said = [...compile(), ...lint()];
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the compiler refuses it when", () => {
  it.each(compilerViolations)("$it", ({ path, code }) => {
    expect(said).toContain(`${path}: ${code}`);
  });
});

describe("the linter refuses it when", () => {
  it.each(linterViolations)("$it", ({ path, code }) => {
    expect(said).toContain(`${path}: ${code}`);
  });
});

describe("the guards", () => {
  it("leave innocent files alone", () => {
    const about = (path: string) => said.filter((line) => line.startsWith(`${path}: `));
    expect(Object.keys(innocents).flatMap(about)).toEqual([]);
  });
});

/** The real configuration around invented sources. */
function copyConfiguration(): void {
  const configs = layers.flatMap(({ folder }) => [
    `${folder}/tsconfig.json`,
    join(folder, "../tsconfig.json"),
    join(folder, "../package.json"),
    join(folder, "../../package.json"),
  ]);
  for (const path of ["tsconfig.base.json", ".oxlintrc.json", ".gitignore", ...configs]) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(project, path));
  }
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
}

function write(path: string, source: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), `${source.trimEnd()}\n`);
}

function compile(): readonly string[] {
  const projects = ["packages/client", "packages/server/src/storage"];
  const { stdout } = run("typescript/bin/tsc", ["-b", "--pretty", "false", ...projects]);
  return [...stdout.matchAll(/^(.+?)\(\d+,\d+\): error (TS\d+):/gm)].map(
    ([, path, code]) => `${path}: ${code}`,
  );
}

function lint(): readonly string[] {
  const { stdout } = run("oxlint/bin/oxlint", ["--format=json"]);
  const report: {
    readonly diagnostics: readonly { readonly filename: string; readonly code: string }[];
  } = JSON.parse(stdout);
  return report.diagnostics.map(({ filename, code }) => `${filename}: ${code}`);
}

function run(tool: string, args: readonly string[]): { readonly stdout: string } {
  const path = join(root, "node_modules", tool);
  return spawnSync(process.execPath, [path, ...args], { cwd: project, encoding: "utf8" });
}
