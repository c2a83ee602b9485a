import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, holdBuildLock } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
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
  await compile(["-b", ...LIBRARIES]);
  for (const folder of LIBRARIES) {
    await compile(["-p", join(folder, "tsconfig.cjs.json")]);
    // Without it Node and TypeScript would take the files for ES modules, as the package says.
    writeFileSync(join(root, folder, "dist", "cjs", "package.json"), '{ "type": "commonjs" }\n');
  }
}

async function compile(args) {
  const { code, output } = await runTool("tsc", args);
  if (code !== 0) throw new Stop(output);
}
