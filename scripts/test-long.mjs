import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
import { Stop, main, root, runInTerminal, toolPath } from "./run.mjs";

/** The crash matrix continues from existing results. A long run deletes them first. */
const CRASH_RESULTS = join(root, ".cache", "crash-long");

/** `alone`: signals go only to the program itself, which stops its own children. */
const RUNS = {
  tests: { args: () => [toolPath("vitest"), "run", "--project", "!browser"] },
  simulation: { args: () => program("simulation") },
  crash: { args: () => program("crash", "--results", CRASH_RESULTS) },
  cluster: { args: () => program("cluster", "--json", join(root, ".cache", "cluster-long.json")) },
  soak: { args: () => program("soak"), alone: true },
};

await main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !Object.hasOwn(RUNS, name));
  if (unknown !== undefined)
    throw new Stop(`Unknown long run: ${unknown}. Available: ${Object.keys(RUNS).join(", ")}`);
  await ensureInstalled();
  await ensureBuilt();
  // Read by `repeat`, which then chooses the long values.
  process.env.HOLDFAST_TEST_LONG = "1";
  rmSync(CRASH_RESULTS, { recursive: true, force: true });
  const lines = [];
  for (const [name, { args, alone = false }] of Object.entries(RUNS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const startedMs = performance.now();
    const code = await runInTerminal(args(), { wholeGroup: !alone });
    const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
    lines.push(`${code === 0 ? "✓" : "✗"} ${name.padEnd(12)} ${minutes} min\n`);
    if (code !== 0) process.exitCode = 1;
  }
  process.stdout.write(`\n${lines.join("")}`);
});

function program(name, ...args) {
  const options = ["--conditions=holdfast-source", "--disable-warning=ExperimentalWarning"];
  return [...options, join(root, "test", name, "main.ts"), ...args];
}
