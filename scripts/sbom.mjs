import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { Stop, main, pinnedNode, root, runQuietly } from "./run.mjs";

/** Writes the bill of materials of the packages that users get. */
await main(async () => {
  await ensureInstalled();
  const program = join(root, "test", "dependencies", "update.ts");
  const { code, output } = await runQuietly(pinnedNode(), [program]);
  if (code !== 0) throw new Stop(output);
});
