import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { Stop, main, root, runInTerminal, toolPath } from "./run.mjs";

/** The crash matrix goes on from the results it finds; a long run begins anew. */
const CRASH_RESULTS = join(root, ".cache", "crash-long");

/** `alone`: a signal goes to the program itself, which then ends what it has started. */
const RUNS = {
  tests: { args: () => [toolPath("vitest"), "run", "--project", "!browser"] },
  crash: { args: () => program("crash", "--results", CRASH_RESULTS) },
  cluster: { args: () => program("cluster", "--json", join(root, ".cache", "cluster-long.json")) },
  soak: { args: () => program("soak"), alone: true },
};

await main(async () => {
  const named = process.argv.slice(2);
  const unknown = named.find((name) => !Object.hasOwn(RUNS, name));
  if (unknown !== undefined)
    throw new Stop(`${unknown} is none of the long runs: ${Object.keys(RUNS).join(", ")}`);
  await ensureInstalled();
  await ensureBuilt();
  // Read by `repeat`: each test tries its law as often as in no other run.
  process.env.HOLDFAST_TEST_LONG = "1";
  rmSync(CRASH_RESULTS, { recursive: true, force: true });
  const lines = [];
  for (const [name, { args, alone = false }] of Object.entries(RUNS)) {
    if (named.length > 0 && !named.includes(name)) continue;
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
