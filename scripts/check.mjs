import { runGate } from "./gate.mjs";
import { ensureInstalled } from "./prepare/packages.mjs";
import { main } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  const { failed } = await runGate();
  process.exitCode = failed === 0 ? 0 : 1;
});
