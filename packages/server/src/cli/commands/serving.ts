import { tidyUpSoon } from "../after-start.ts";
import { serveSettings, type ServeFlags } from "../settings/settings.ts";
import { stopInTime, stopSignal } from "../stop-signal.ts";

export async function serve(flags: ServeFlags): Promise<void> {
  const settings = serveSettings(flags, process.env);
  const { greeting, startServer } = await import("../serve.ts");
  const askedToStop = stopSignal();
  const server = await startServer(settings);
  process.stdout.write(`${greeting(server, settings)}\n`);
  tidyUpSoon();
  await askedToStop;
  await stopInTime(server.stop, settings.member);
}

/** Tools for an agent, which starts this beside itself and tells by the environment which session it is. */
export async function serveTools(): Promise<void> {
  const { openToolServer } = await import("../tools/tool-server.ts");
  const server = await openToolServer(process.env, process);
  await server.closed;
}
