import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { takeOneTurn, type Turn } from "../../providers/one-turn.ts";
import { catalogOf, openSandboxOf } from "../catalog.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { makeDataFolder } from "../settings/data-folder.ts";
import type { ServeSettings } from "../settings/settings.ts";
import { openStopRequests, STOP_CODES } from "../terminal/stop-requests.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const QUESTION = "Reply with the word ready.";
const TIMEOUT_MS = 120_000;

/** One real answer of the agent, as a server with these settings would start it, in an empty folder. */
export async function checkAgent(
  settings: ServeSettings,
  name: string,
  terminal: Terminal,
): Promise<Turn | number> {
  // The sandbox hides the data folder, which must exist for that.
  makeDataFolder(settings.dataFolder);
  const catalog = catalogOf(settings, {
    sandbox: await openSandboxOf(settings),
    journalFolder: null,
  });
  const provider = catalog.get(name);
  if (provider === null) throw new CommandFailure(`There is no agent "${name}".`, EXIT.no);
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-init-")));
  const stopping = new AbortController();
  const stops = openStopRequests(terminal);
  let stoppedBy: number | null = null;
  void stops.next().then((by) => {
    stoppedBy = STOP_CODES[by];
    stopping.abort();
  });
  try {
    const turn = await takeOneTurn(provider, {
      folder,
      text: QUESTION,
      timeoutMs: TIMEOUT_MS,
      signal: stopping.signal,
    });
    return stoppedBy ?? turn;
  } finally {
    stops.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
