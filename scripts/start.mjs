import { ensureBuilt } from "./prepare/program.mjs";
import { holdfastBin, main, runOnPinnedNode } from "./run.mjs";

await main(async () => {
  await ensureBuilt();
  await runOnPinnedNode([holdfastBin, "serve", ...process.argv.slice(2)]);
});
