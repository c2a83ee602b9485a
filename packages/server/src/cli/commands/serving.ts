import { boundNewSpace } from "./bound-memory.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LET_GO_SIGNAL } from "../background/let-go.ts";
import { noteLoading } from "../start-phases.ts";
import type { Server } from "../serve.ts";
import {
  describeDatabase,
  serveSettings,
  type ServeFlags,
  type ServeSettings,
} from "../settings/settings.ts";
import { commandLine } from "../terminal/invocation.ts";
import { VERSION } from "../version.ts";

const STOP_TIMEOUT_MS = 10_000;
const AFTER_DRAIN_MS = 7_000;
const COLLECT_AFTER_MS = 1_000;

export async function serve({ takeover, ...flags }: ServeCommandFlags): Promise<void> {
  const settings = serveSettings(flags, process.env);
  if (takeover === true) await replaceRunning(settings.dataFolder);
  const { startServer } = await import("../serve.ts");
  noteLoading((line) => process.stderr.write(`holdfast: ${line}\n`));
  const stopRequest = stopSignal({ isAtTerminal: process.stdout.isTTY === true });
  const server = await startServer(settings);
  process.stdout.write(`${greeting(server, settings, { isTerminal: process.stdout.isTTY })}\n`);
  boundNewSpace();
  setTimeout(collectGarbage, COLLECT_AFTER_MS).unref();
  const how = await stopRequest;
  if (how === "restart") (await import("../background/successor.ts")).startSuccessor();
  const keepsAgents = how !== "stop";
  await stopInTime(() => server.stop({ keepsAgents }), settings.member);
}

interface ServeCommandFlags extends ServeFlags {
  readonly takeover?: true;
}

/** How long a server may take to let go of its data folder. */
const LET_GO_MS = 60_000;

async function replaceRunning(dataFolder: string): Promise<void> {
  const { replaceServer } = await import("../background/stop-server.ts");
  const stopped = await replaceServer(dataFolder, { withinMs: LET_GO_MS });
  if (stopped !== null)
    process.stderr.write(
      `holdfast: the server with pid ${stopped.pid} has ended; its agents go on.\n`,
    );
}

/** `let-go`: another server goes on with the agents. `restart`: this one starts it. */
export type StopRequest = "stop" | "let-go" | "restart";

/**
 * Resolves at the first signal. The same signal again ends the process at once. SIGHUP is a restart, except from a terminal
 * that is closed.
 */
export function stopSignal({ isAtTerminal = true } = {}): Promise<StopRequest> {
  const requests: readonly (readonly [NodeJS.Signals, StopRequest])[] = [
    ["SIGINT", "stop"],
    ["SIGTERM", "stop"],
    ["SIGHUP", isAtTerminal ? "stop" : "restart"],
    [LET_GO_SIGNAL, "let-go"],
  ];
  return new Promise((resolve) => {
    for (const [signal, request] of requests) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(request);
      });
    }
  });
}

/** Ends the process when a graceful stop takes too long; a long drain gets more time. */
export async function stopInTime(
  stop: () => Promise<void>,
  { drainMs }: { readonly drainMs: number },
): Promise<void> {
  const timer = setTimeout(
    () => {
      process.stderr.write("holdfast: the server did not stop in time; ending the process.\n");
      process.exit(2);
    },
    Math.max(STOP_TIMEOUT_MS, drainMs + AFTER_DRAIN_MS),
  );
  await stop();
  // The timer still ends the process if something keeps it alive.
  timer.unref();
}

/** Frees some 13 MB that only loading the program needed. V8 would keep it for a busy process. Takes some 60 ms. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function")
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** A log file or a pipe gets no address that signs in: others may read it later. */
export function greeting(
  { url, sandbox, signInAddress: addressOf }: Server,
  settings: ServeSettings,
  { isTerminal }: { readonly isTerminal: boolean },
): string {
  const { dataFolder, database, workspaceRoot } = settings;
  const page = isTerminal
    ? [addressOf(), "(works once)"]
    : [`${url}/`, `(open it with: ${commandLine("open")})`];
  return [
    `Holdfast ${VERSION} is ready at ${url}`,
    "",
    `  Page    ${page.join("  ")}`,
    `  API     ${url}/docs`,
    `  Repos   inside ${workspaceRoot}`,
    `  Agents  ${sandbox}`,
    `  Data    ${dataFolder}`,
    `          ${describeDatabase(database)}`,
    "  Stop    Ctrl-C (nothing is lost)",
  ].join("\n");
}
