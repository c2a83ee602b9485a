import { join } from "node:path";
import { holdBuildLock } from "./prepare/packages.mjs";
import { pinnedNode, root, runQuietly, runTool } from "./run.mjs";

/** The compiler and the type-aware linter are Go programs. With fewer garbage collections they take a fifth less time. */
const env = { GOGC: "300", ...process.env };

export function checkTypes() {
  // With one checker, types that several projects use are computed once.
  return holdBuildLock(() => runTool("tsc", ["-b", "--checkers", "1"], { env }));
}

export function checkLint() {
  return runTool("oxlint", ["--type-aware", "--deny-warnings"], { env });
}

function checkDependencies() {
  return runQuietly(pinnedNode(), [join(root, "test", "dependencies", "check.ts")]);
}

/**
 * Two rows of checks that run at the same time. Types come before lint: the type-aware rules read the declarations that
 * the compiler writes.
 */
const ROWS = [
  [
    { name: "types", run: checkTypes },
    { name: "lint", run: checkLint },
  ],
  [
    { name: "format", run: () => runTool("oxfmt", ["--check"]) },
    { name: "unused code", run: () => runTool("knip", ["--no-progress"]) },
    { name: "dependencies", run: checkDependencies },
  ],
];

/** All static checks. */
export async function runGate() {
  const failures = [];
  await Promise.all(
    ROWS.map(async (steps) => {
      for (const { name, run } of steps) if (!(await runStep(name, run))) failures.push(name);
    }),
  );
  return { passed: ROWS.flat().length - failures.length, failed: failures.length, failures };
}

/** Prints one line with the duration, and the step's output if it failed. */
export async function runStep(name, run) {
  const startedMs = performance.now();
  const { code, output } = await run();
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`${code === 0 ? "✓" : "✗"} ${name.padEnd(12)} ${seconds} s\n`);
  if (code !== 0) process.stdout.write(`\n${output.trim()}\n\n`);
  return code === 0;
}
