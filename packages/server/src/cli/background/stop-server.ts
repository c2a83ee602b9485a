import { setTimeout as pause } from "node:timers/promises";
import { errorText } from "../../domain/error-text.ts";
import { CommandFailure } from "../exit.ts";
import {
  isLocked,
  readServerFile,
  runningServer,
  type ServerFile,
} from "../settings/data-folder.ts";
import { LET_GO_SIGNAL } from "./let-go.ts";
import { processStart } from "./process-start.ts";

const POLL_MS = 50;

export interface StopOptions {
  readonly withinMs: number;
  /** Agents that can go on without the server do. Otherwise they are ended. */
  readonly keepsAgents?: boolean;
}

/**
 * Asks the server on the data folder to stop, and resolves when it has: sessions are suspended, the data folder is free.
 * Null when none runs. Signals only the process that wrote `server.json`, never another one that has its ID by now.
 */
export async function stopServer(
  dataFolder: string,
  { withinMs, keepsAgents = false }: StopOptions,
): Promise<ServerFile | null> {
  const server = runningServer(dataFolder);
  if (server === null) {
    if (!isLocked(dataFolder)) return null;
    throw new CommandFailure(
      `A server on ${dataFolder} is starting or stopping. Try again when it is done.`,
    );
  }
  if (!isSameProcess(server))
    throw new CommandFailure(
      `Process ${server.pid} cannot be identified as the server on ${dataFolder}, so it is not stopped. Stop the server where it was started.`,
    );
  signal(server, keepsAgents ? LET_GO_SIGNAL : "SIGTERM");
  const deadline = performance.now() + withinMs;
  while (isUsedBy(dataFolder, server)) {
    if (performance.now() >= deadline)
      throw new CommandFailure(
        `The server with pid ${server.pid} did not stop within ${withinMs / 1_000} s. It continues to stop. To end it at once: kill -9 ${server.pid}`,
      );
    await pause(POLL_MS);
  }
  return server;
}

/**
 * Asks the server on the data folder to let go of it, and resolves when it has. Its agents go on. Waits for a server that is
 * starting or stopping.
 */
export async function replaceServer(
  dataFolder: string,
  { withinMs }: Pick<StopOptions, "withinMs">,
): Promise<ServerFile | null> {
  const deadline = performance.now() + withinMs;
  while (runningServer(dataFolder) === null) {
    if (!isLocked(dataFolder)) return null;
    if (performance.now() >= deadline)
      throw new CommandFailure(
        `A server on ${dataFolder} has been starting or stopping for ${withinMs / 1_000} s.`,
      );
    await pause(POLL_MS);
  }
  return stopServer(dataFolder, { withinMs, keepsAgents: true });
}

function isSameProcess({ pid, processStart: recorded }: ServerFile): boolean {
  return recorded !== undefined && processStart(pid) === recorded;
}

function signal({ pid }: ServerFile, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return;
    throw new CommandFailure(
      `The server with pid ${pid} cannot be stopped: ${errorText(error)}.`,
      undefined,
      { cause: error },
    );
  }
}

/** False also if the next server was quicker than this look. */
function isUsedBy(dataFolder: string, { pid }: ServerFile): boolean {
  if (!isLocked(dataFolder)) return false;
  const current = readServerFile(dataFolder);
  return current === null || current.pid === pid;
}
