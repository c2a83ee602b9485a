import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runGate, runStep } from "./gate.mjs";
import { ensureInstalled } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
import { Stop, root, runInTerminal, toolPath } from "./run.mjs";
import {
  countTests,
  failuresIn,
  readReport,
  skipLines,
  skipsIn,
  slowestLines,
} from "./test-report.mjs";

const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const skips = [];
let slowest = [];

if (await step("install", ensureInstalled)) {
  add(await runGate());
  await step("build", ensureBuilt);
  add(await runTests(process.argv.slice(2)));
}

if (slowest.length > 0) process.stdout.write(`\nSlowest files:\n  ${slowest.join("\n  ")}\n`);
// Repeated at the end: hard to find between two thousand lines, and a log may be cut at its beginning.
if (skips.length > 0) process.stdout.write(`\nSkipped:\n  ${skipLines(skips).join("\n  ")}\n`);
if (failures.length > 0) process.stdout.write(`\nFailed:\n  ${failures.join("\n  ")}\n`);
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function step(name, work) {
  const isOk = await runStep(name, async () => {
    try {
      await work();
      return { code: 0, output: "" };
    } catch (error) {
      return { code: 1, output: error instanceof Stop ? error.message : error.stack };
    }
  });
  add(isOk ? { passed: 1 } : { failed: 1, failures: [name] });
  return isOk;
}

function add({
  passed = 0,
  failed = 0,
  skipped = 0,
  failures: newFailures = [],
  skips: newSkips = [],
}) {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
  failures.push(...newFailures);
  skips.push(...newSkips);
}

async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  try {
    const report = join(folder, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const vitest = [toolPath("vitest"), "run", ...reporters, ...args];
    const code = await runInTerminal(vitest, { wholeGroup: true });
    const files = readReport(report);
    const total = countTests(files);
    slowest = slowestLines(files, root);
    const isBroken = code !== 0 || total.passed + total.failed + total.skipped === 0;
    if (isBroken && total.failed === 0) {
      process.stdout.write(
        `\nvitest exited with code ${code} after ${total.passed} passed tests: counted as a failure.\n`,
      );
      total.failed = 1;
    }
    return {
      ...total,
      failures: files.flatMap((file) => failuresIn(file, root)),
      skips: files.flatMap((file) => skipsIn(file, root)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
