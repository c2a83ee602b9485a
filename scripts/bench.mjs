import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { main, root, runOnPinnedNode } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  await runOnPinnedNode([
    "--conditions=holdfast-source",
    "--disable-warning=ExperimentalWarning",
    join(root, "bench", "main.ts"),
    ...process.argv.slice(2),
  ]);
});
