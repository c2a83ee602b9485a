import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { callerFolder, holdfastBin, main, runOnPinnedNode } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  await runOnPinnedNode([holdfastBin, ...process.argv.slice(2)], { cwd: callerFolder() });
});
