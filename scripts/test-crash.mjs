import { join } from "node:path";
import { ensureInstalled } from "./prepare/packages.mjs";
import { ensureBuilt } from "./prepare/program.mjs";
import { main, root, runInTerminal } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.exitCode = await runInTerminal(
    [
      "--conditions=holdfast-source",
      "--disable-warning=ExperimentalWarning",
      join(root, "test", "crash", "main.ts"),
      ...process.argv.slice(2),
    ],
    { wholeGroup: true },
  );
});
