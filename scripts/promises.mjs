import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { Stop, main, pinnedNode, root, runQuietly, runTool } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await runOrStop(runQuietly(pinnedNode(), [join(root, "test", "promises", "update.ts")]));
  await runOrStop(runTool("oxfmt", [join("docs", "promise-tests.md")]));
});

async function runOrStop(run) {
  const { code, output } = await run;
  if (code !== 0) throw new Stop(output);
}
