import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { runGate, runStep } from "./gate.mjs";
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { Stop, root, runInTerminal, toolPath } from "./run.mjs";
import { shareArguments } from "./test-arguments.mjs";

const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

if (await step("install", ensureInstalled)) {
  add(await runGate());
  await step("build", ensureBuilt);
  const { tests, browserTests } = shareArguments(process.argv.slice(2));
  if (tests !== null) add(await runTests(tests));
  // After the others: a page that waits for a busy machine says nothing about the page.
  if (browserTests !== null) {
    process.stdout.write("\nThe page in a browser\n");
    add(await runTests(["--config", "vitest.browser.config.ts", ...browserTests]));
  }
}

// Once more at the end: between two thousand lines nobody finds them, and a log may be cut at its beginning.
if (failures.length > 0) process.stdout.write(`\nFailed:\n  ${failures.join("\n  ")}\n`);
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
  add(good ? { passed: 1 } : { failed: 1, failures: [name] });
  return good;
}

function add({ passed = 0, failed = 0, skipped = 0, failures: more = [] }) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
  failures.push(...more);
}

async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  try {
    const report = join(folder, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const vitest = [toolPath("vitest"), "run", ...reporters, ...args];
    const code = await runInTerminal(vitest, { wholeGroup: true });
    const files = readReport(report);
    return { ...countTests(files, code), failures: files.flatMap(failuresIn) };
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

/** A line for each, with the first of what it said. */
function failuresIn(file) {
  const path = relative(root, file.name);
  const failed = file.assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0 && file.status !== "failed") return [];
  if (failed.length === 0) return [`${path}: ${firstLine(file.message)}`];
  return failed.map(
    ({ fullName, failureMessages: [message = ""] }) =>
      `${path} > ${fullName}: ${firstLine(message)}`,
  );
}

function firstLine(text) {
  return stripVTControlCharacters(text).trim().split("\n", 1)[0];
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
