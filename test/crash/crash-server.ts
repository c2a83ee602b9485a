/** `holdfast serve` from the sources, which ends itself where the control file says. */
import { flushCompileCache, enableCompileCache } from "node:module";
import { controlFile, LOADED, readControl } from "./control.ts";

enableCompileCache();
const [data = "", port = ""] = process.argv.slice(2);
const { greeting, startServer } = await import("../../packages/server/src/cli/serve.ts");
const { serveSettings } = await import("../../packages/server/src/cli/settings/settings.ts");
const { stopInTime, stopSignal } = await import("../../packages/server/src/cli/stop-signal.ts");
// Who is killed writes no cache at its end.
flushCompileCache();

const control = controlFile();
let wanted: string | null = null;
let times = 0;

function failpoint(name: string): void {
  const { dieAt } = readControl(control);
  if (dieAt === null || dieAt.failpoint !== name) return;
  times = wanted === name ? times + 1 : 1;
  wanted = name;
  if (times >= dieAt.time) process.kill(process.pid, "SIGKILL");
}

const settings = serveSettings({ data, port }, process.env);
const askedToStop = stopSignal();
process.stdout.write(`${LOADED}\n`);
const server = await startServer(settings, { failpoint });
process.stdout.write(`${greeting(server, settings)}\n`);
await askedToStop;
await stopInTime(server.stop, settings.member);
