import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { main, runInTerminal, toolPath } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.exitCode = await runInTerminal(
    [toolPath("vitest"), "run", "--project", "browser", ...process.argv.slice(2)],
    { wholeGroup: true },
  );
});
