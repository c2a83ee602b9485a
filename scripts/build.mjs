import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, ensureInstalled, holdBuildLock } from "./prepare.mjs";
import { Stop, main, root, runTool } from "./run.mjs";

/** Published packages. This repository itself uses their sources. */
const LIBRARIES = ["packages/protocol", "packages/client"];

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  await holdBuildLock(buildLibraries);
});

/** Deletes the old output first, because tsc keeps the output of deleted sources. */
async function buildLibraries() {
  for (const folder of LIBRARIES)
    rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  const { code, output } = await runTool("tsc", ["-b", ...LIBRARIES]);
  if (code !== 0) throw new Stop(output);
}
