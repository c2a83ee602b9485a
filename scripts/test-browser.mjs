import { ensureInstalled } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
import { main, runInTerminal, toolPath } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.exitCode = await runInTerminal(
    [toolPath("vitest"), "run", "--project", "browser", ...process.argv.slice(2)],
    { wholeGroup: true },
  );
});
