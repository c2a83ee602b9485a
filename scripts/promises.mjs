import { join } from "node:path";
import { ensureInstalled } from "./prepare.mjs";
import { Stop, main, pinnedNode, root, runQuietly, runTool } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await must(runQuietly(pinnedNode(), [join(root, "test", "promises", "update.ts")]));
  await must(runTool("oxfmt", [join("docs", "promise-tests.md")]));
});

async function must(running) {
  const { code, output } = await running;
  if (code !== 0) throw new Stop(output);
}
