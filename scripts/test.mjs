import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runGate, runStep } from "./gate.mjs";
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { Stop, runInTerminal, toolPath } from "./run.mjs";

const counts = { passed: 0, failed: 0, skipped: 0 };

if (await step("install", ensureInstalled)) {
  add(await runGate());
  await step("build", ensureBuilt);
  add(await runTests(process.argv.slice(2)));
}

const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function step(name, work) {
  const good = await runStep(name, async () => {
    try {
      await work();
      return { code: 0, output: "" };
    } catch (error) {
      return { code: 1, output: error instanceof Stop ? error.message : error.stack };
    }
  });
  add(good ? { passed: 1 } : { failed: 1 });
  return good;
}

function add({ passed = 0, failed = 0, skipped = 0 }) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
}

async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  try {
    const report = join(folder, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const vitest = [toolPath("vitest"), "run", ...reporters, ...args];
    const code = await runInTerminal(vitest, { wholeGroup: true });
    return countTests(readReport(report), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** No report means that the runner itself broke. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).testResults;
  } catch {
    return [];
  }
}

/** A test file that failed without a failed test in it did not load, or its setup broke: that is a failure too. */
function countTests(files, code) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const statuses = file.assertionResults.map(({ status }) => status);
    const failed = statuses.filter((status) => status === "failed").length;
    const passed = statuses.filter((status) => status === "passed").length;
    total.passed += passed;
    total.failed += file.status === "failed" ? Math.max(1, failed) : failed;
    total.skipped += statuses.length - passed - failed;
  }
  const wrong = code !== 0 || total.passed + total.failed === 0;
  if (wrong && total.failed === 0) {
    process.stdout.write(
      `\nvitest ended with exit code ${code} after ${total.passed} tests: that is a failure.\n`,
    );
    total.failed = 1;
  }
  return total;
}
