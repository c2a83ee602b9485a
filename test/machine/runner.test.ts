import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const VITEST = path.join(
  path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);

interface File {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

/** The functions with which `npm test` reads reports. */
interface Report {
  readReport(path: string): readonly File[];
  countTests(files: readonly File[]): unknown;
  failuresIn(file: File, root: string): unknown;
  skipsIn(file: File, root: string): readonly unknown[];
  skipLines(skips: readonly unknown[]): readonly string[];
}

it("a test whose requirement is missing is skipped with the reason; other failures stay failures", async () => {
  const config = path.join(import.meta.dirname, "fixture/vitest.config.ts");
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-runner-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const output = path.join(folder, "report.json");
  const args = [VITEST, "run", "--config", config, "--reporter=json", `--outputFile=${output}`];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT });
  expect(status).toBe(1);
  const address = new URL("../../scripts/test-report.mjs", import.meta.url).href;
  const report = (await import(address)) as Report;
  const testResults = report.readReport(output);
  expect(report.countTests(testResults)).toEqual({ passed: 1, failed: 1, skipped: 4 });
  const fixture = "test/machine/fixture/missing.fixture.ts";
  expect(testResults.flatMap((file) => report.failuresIn(file, ROOT))).toEqual([
    `${fixture} > fails: Error: for another reason`,
  ]);
  const skips = testResults.flatMap((file) => report.skipsIn(file, ROOT));
  expect(report.skipLines(skips)).toEqual([
    "1 test: no A",
    `  ${fixture} > needs something itself`,
    "1 test: no B",
    `  ${fixture} > before each is skipped`,
    "2 tests: no C",
    `  ${fixture} > before all is skipped`,
    `  ${fixture} > before all within is skipped`,
  ]);
});
