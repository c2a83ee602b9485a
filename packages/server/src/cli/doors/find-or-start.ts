import { findServer, gatewaySettings, type CommonFlags } from "../gateway/find-server.ts";
import type { ServeSettings } from "../settings/settings.ts";
import type { FindServer } from "./server-fetch.ts";

type Log = (text: string) => void;

/**
 * Finds the server each time. An editor starts this program without a person at a terminal, so the first time it also starts
 * a server if none runs. Later it waits: somebody stopped the server, or restarts it.
 */
export function findOrStartOnce(flags: CommonFlags, log: Log): FindServer {
  const settings = gatewaySettings(flags);
  let isFirst = true;
  return async () => {
    const server = await findServer(flags, settings);
    const mayStart = isFirst;
    isFirst = false;
    if (server !== null) return server;
    if (mayStart) await startServer(flags, settings, log);
    const started = await findServer(flags, settings);
    if (started !== null) return started;
    throw new Error(`no server runs on ${settings.dataFolder}; start it with: holdfast up`);
  };
}

async function startServer(
  flags: CommonFlags,
  { dataFolder }: ServeSettings,
  log: Log,
): Promise<void> {
  const [{ startInBackground }, { readStartRecord, startPlan }] = await Promise.all([
    import("../background/start-server.ts"),
    import("../background/start-record.ts"),
  ]);
  const plan = readStartRecord(dataFolder) ?? startPlan(flags, process.env, process.cwd());
  await startInBackground(dataFolder, plan, log);
}
