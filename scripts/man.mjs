import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { Stop, main, pinnedNode, root, runQuietly, runTool } from "./run.mjs";

/** Writes the manual pages, `packages/server/man`, from the commands of the program. */
await main(async () => {
  await ensureInstalled();
  await runOrStop(runQuietly(pinnedNode(), [join(root, "test", "manual", "update.ts")]));
  await runOrStop(runTool("oxfmt", [join("packages", "server", "package.json")]));
});

async function runOrStop(run) {
  const { code, output } = await run;
  if (code !== 0) throw new Stop(output);
}
