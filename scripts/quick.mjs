import { checkLint, checkTypes, runStep } from "./gate.mjs";
import { ensureInstalled } from "./prepare/packages.mjs";
import { main, runTool } from "./run.mjs";

/** A quick check, about a minute. `npm test` decides whether a change lands. */
const STEPS = [
  { name: "types", run: checkTypes },
  { name: "lint", run: checkLint },
  { name: "unit", run: () => runTool("vitest", ["run", "--project", "unit"]) },
  {
    name: "SQLite store",
    run: () => runTool("vitest", ["run", "--project", "store", "sqlite-store"]),
  },
];

await main(async () => {
  await ensureInstalled();
  let failed = 0;
  for (const { name, run } of STEPS) if (!(await runStep(name, run))) failed += 1;
  process.exitCode = failed === 0 ? 0 : 1;
});
