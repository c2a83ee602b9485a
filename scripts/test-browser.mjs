import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { main, runInTerminal, toolPath } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const config = ["--config", "vitest.browser.config.ts"];
  process.exitCode = await runInTerminal(
    [toolPath("vitest"), "run", ...config, ...process.argv.slice(2)],
    { wholeGroup: true },
  );
});
