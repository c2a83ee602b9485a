/** `holdfast serve` from the sources, which kills itself at the failpoint in the control file. */
import { flushCompileCache, enableCompileCache } from "node:module";
import { controlFile, LOADED, readControl } from "./control.ts";

enableCompileCache();
const control = controlFile();
let lastFailpoint: string | null = null;
let times = 0;

function failpoint(name: string): void {
  const { dieAt } = readControl(control);
  if (dieAt === null || dieAt.failpoint !== name) return;
  times = lastFailpoint === name ? times + 1 : 1;
  lastFailpoint = name;
  if (times >= dieAt.time) process.kill(process.pid, "SIGKILL");
}

async function serve([data = "", port = ""]: readonly string[]): Promise<void> {
  const { startServer } = await import("../../packages/server/src/cli/serve.ts");
  const { serveSettings } = await import("../../packages/server/src/cli/settings/settings.ts");
  const { greeting, stopInTime, stopSignal } =
    await import("../../packages/server/src/cli/commands/serving.ts");
  // A killed process would not write its cache.
  flushCompileCache();
  const settings = serveSettings({ data, port }, process.env);
  const stopRequested = stopSignal();
  process.stdout.write(`${LOADED}\n`);
  const server = await startServer(settings, { failpoint });
  process.stdout.write(`${greeting(server, settings, { isTerminal: false })}\n`);
  await stopRequested;
  await stopInTime(server.stop, settings.member);
}

void serve(process.argv.slice(2));
