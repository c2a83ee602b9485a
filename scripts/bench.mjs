import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
import { main, root, runInTerminal } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const args = [
    "--conditions=holdfast-source",
    "--disable-warning=ExperimentalWarning",
    join(root, "bench", "main.ts"),
    ...process.argv.slice(2),
  ];
  // The measured servers stop together with the benchmark.
  process.exit(await runInTerminal(args, { wholeGroup: true }));
});
