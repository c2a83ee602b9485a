import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { main, root, runInTerminal } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  // A signal goes to the program alone, which then ends what it has started, and shows what was measured.
  process.exitCode = await runInTerminal([
    "--conditions=holdfast-source",
    "--disable-warning=ExperimentalWarning",
    join(root, "test", "soak", "main.ts"),
    ...process.argv.slice(2),
  ]);
});
