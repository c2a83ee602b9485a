import { ensureBuilt } from "./prepare/program.mjs";
import { callerFolder, holdfastBin, main, runOnPinnedNode } from "./run.mjs";

await main(async () => {
  await ensureBuilt();
  await runOnPinnedNode([holdfastBin, ...process.argv.slice(2)], { cwd: callerFolder() });
});
