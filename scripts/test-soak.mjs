import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
import { main, root, runInTerminal } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  // Signals go only to the program itself, which stops its children and prints the measurements.
  process.exitCode = await runInTerminal([
    "--conditions=holdfast-source",
    "--disable-warning=ExperimentalWarning",
    join(root, "test", "soak", "main.ts"),
    ...process.argv.slice(2),
  ]);
});
