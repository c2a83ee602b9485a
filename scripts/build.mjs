import { ensureBuilt, ensureInstalled } from "./prepare.mjs";
import { main } from "./run.mjs";

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
});
