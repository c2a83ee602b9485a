import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** If one reason has more tests than this, the report names their files only. */
const MAX_LISTED_TESTS = 12;
const SLOWEST_FILES = 10;

/** The files in Vitest's JSON report. An empty list means that the runner itself failed. */
export function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).testResults;
  } catch {
    return [];
  }
}

/** A file that failed without a failed test did not load, or its setup failed. It counts as one failure. */
export function countTests(files) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const statuses = file.assertionResults.map(({ status }) => status);
    const failed = statuses.filter((status) => status === "failed").length;
    const passed = statuses.filter((status) => status === "passed").length;
    total.passed += passed;
    total.failed += file.status === "failed" ? Math.max(1, failed) : failed;
    total.skipped += statuses.length - passed - failed;
  }
  return total;
}

/** One line per failed test, with the first line of its message. */
export function failuresIn(file, root) {
  const path = relative(root, file.name);
  const failed = file.assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0 && file.status !== "failed") return [];
  if (failed.length === 0) return [`${path}: ${firstLine(file.message)}`];
  return failed.map(
    ({ fullName, failureMessages: [message = ""] }) =>
      `${path} > ${fullName}: ${firstLine(message)}`,
  );
}

/** The skipped tests and the reasons. A test that its file marks as skipped has no reason of its own. */
export function skipsIn(file, root) {
  const path = relative(root, file.name);
  return file.assertionResults
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ fullName, meta }) => ({
      path,
      name: fullName,
      reason: meta?.missing ?? "marked as skipped in its file",
    }));
}

/** The skipped tests groupBy by reason: their names or, if there are many, their files. */
export function skipLines(skips) {
  return [...groupBy(skips, ({ reason }) => reason)].flatMap(([reason, group]) => [
    `${group.length} ${group.length === 1 ? "test" : "tests"}: ${reason.replaceAll("\n", "\n    ")}`,
    ...(group.length <= MAX_LISTED_TESTS
      ? group.map(({ path, name }) => `  ${path} > ${name}`)
      : [...groupBy(group, ({ path }) => path)].map(
          ([path, inFile]) => `  ${path}: ${inFile.length}`,
        )),
  ]);
}

/** The slowest files, with their duration in seconds. */
export function slowestLines(files, root) {
  return files
    .map(({ name, startTime, endTime }) => ({
      path: relative(root, name),
      ms: endTime - startTime,
    }))
    .toSorted((left, right) => right.ms - left.ms)
    .slice(0, SLOWEST_FILES)
    .map(({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`);
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

function firstLine(text) {
  return stripVTControlCharacters(text).trim().split("\n", 1)[0];
}
