import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** More than these under one reason are told by their files. */
const NAMED_TESTS = 12;
const NAMED_FILES = 10;

/** What Vitest wrote of its test files. None means that the runner itself broke. */
export function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).testResults;
  } catch {
    return [];
  }
}

/** A test file that failed without a failed test in it did not load, or its setup broke: that is a failure too. */
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

/** A line for each, with the first of what it said. */
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

/** Each test that was skipped, and why; nobody has said so where somebody has marked it in its file. */
export function skipsIn(file, root) {
  const path = relative(root, file.name);
  return file.assertionResults
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ fullName, meta }) => ({
      path,
      name: fullName,
      reason: meta?.missing ?? "marked so in its file",
    }));
}

/** The skipped tests under their reasons, by name or, where they are many, by file. */
export function skipLines(skips) {
  return [...grouped(skips, ({ reason }) => reason)].flatMap(([reason, group]) => [
    `${group.length} ${group.length === 1 ? "test" : "tests"}: ${reason.replaceAll("\n", "\n    ")}`,
    ...(group.length <= NAMED_TESTS
      ? group.map(({ path, name }) => `  ${path} > ${name}`)
      : [...grouped(group, ({ path }) => path)].map(
          ([path, inFile]) => `  ${path}: ${inFile.length}`,
        )),
  ]);
}

/** The files that took longest, with their seconds. */
export function slowestLines(files, root) {
  return files
    .map(({ name, startTime, endTime }) => ({
      path: relative(root, name),
      ms: endTime - startTime,
    }))
    .toSorted((left, right) => right.ms - left.ms)
    .slice(0, NAMED_FILES)
    .map(({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`);
}

function grouped(items, keyOf) {
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
