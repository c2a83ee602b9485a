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
import { compilerViolations, correctFiles, linterViolations } from "./guards/violations.ts";

/** `file: code` for each error that was reported. */
let errors: readonly string[] = [];
let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "holdfast-guards-"));
  copyConfiguration();
  for (const [path, source] of Object.entries(correctFiles)) write(path, source);
  write("packages/server/src/storage/ring-back.ts", 'export { a as b } from "./ring.ts";');
  for (const { path, source } of [...compilerViolations, ...linterViolations]) write(path, source);
  errors = [...compile(), ...lint()];
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the compiler reports an error when", () => {
  it.each(compilerViolations)("$it", ({ path, code }) => {
    expect(errors).toContain(`${path}: ${code}`);
  });
});

describe("the linter reports an error when", () => {
  it.each(linterViolations)("$it", ({ path, code }) => {
    expect(errors).toContain(`${path}: ${code}`);
  });
});

describe("the compiler and the linter", () => {
  it("accept correct files", () => {
    const errorsIn = (path: string) => errors.filter((line) => line.startsWith(`${path}: `));
    expect(Object.keys(correctFiles).flatMap(errorsIn)).toEqual([]);
  });
});

/** Copies the real configuration, for test sources. */
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
