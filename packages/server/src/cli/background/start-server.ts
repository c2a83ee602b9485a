import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@holdfast/client";
import { withUsersUmask } from "../../providers/acp/process/umask.ts";
import { CommandFailure } from "../exit.ts";
import { addressOf } from "../gateway/find-server.ts";
import {
  isLocked,
  logsIn,
  makeDataFolder,
  makeFolder,
  readServerFile,
  runningServer,
  type ServerFile,
} from "../settings/data-folder.ts";
import { withSettings } from "../settings/setting-variables.ts";
import { commandLine } from "../terminal/invocation.ts";
import { PROGRAM_FILE } from "../version.ts";
import { serveArguments, writeStartRecord, type StartPlan } from "./start-record.ts";

export interface StartedServer {
  readonly server: ServerFile;
  /** False if another process started the server. */
  readonly isNew: boolean;
}

const POLL_MS = 50;
const ANSWER_WITHIN_MS = 2_000;
/** A server that has announced its address answers at once, unless it is stopping. */
const STUCK_AFTER_MS = 30_000;
const REASON_LINES = 10;

/**
 * Starts a server in the background and resolves when it answers, however long it migrates its database. The lock of
 * the data folder decides between several starts at the same time: the others return the server of the one that won.
 */
export async function startInBackground(
  dataFolder: string,
  plan: StartPlan,
  onProgress: (line: string) => void,
): Promise<StartedServer> {
  const other = await otherServer(dataFolder);
  if (other !== null) return { server: other, isNew: false };
  if (statSync(plan.folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandFailure(`The folder ${plan.folder}, in which the server starts, is gone.`);
  makeDataFolder(dataFolder);
  makeFolder(logsIn(dataFolder));
  const outputFile = path.join(logsIn(dataFolder), "server.out");
  const child = spawnServer(dataFolder, plan, outputFile);
  const progress = createProgress(outputFile, onProgress);
  const answer = awaitAnswer(dataFolder);
  for (;;) {
    progress.look();
    const server = readServerFile(dataFolder);
    if (server !== null && server.pid === child.pid && (await answer.isThere(server))) {
      writeStartRecord(dataFolder, { ...plan, pid: server.pid });
      child.unref();
      return { server, isNew: true };
    }
    if (child.exitCode !== null || child.signalCode !== null) {
      const winner = await otherServer(dataFolder);
      if (winner !== null) return { server: winner, isNew: false };
      throw new CommandFailure(startFailure(child, outputFile));
    }
    await pause(POLL_MS);
  }
}

/** The server that uses the folder. Waits for one that is still starting. */
async function otherServer(dataFolder: string): Promise<ServerFile | null> {
  const answer = awaitAnswer(dataFolder);
  for (;;) {
    const server = runningServer(dataFolder);
    if (server !== null && (await answer.isThere(server))) return server;
    if (!isLocked(dataFolder)) return null;
    await pause(POLL_MS);
  }
}

/** A start may take long, but a server that has announced its address answers soon. `isThere` throws if it does not. */
function awaitAnswer(dataFolder: string) {
  let deadline = Infinity;
  return {
    async isThere(server: ServerFile): Promise<boolean> {
      deadline = Math.min(deadline, performance.now() + STUCK_AFTER_MS);
      if (await answers(server, dataFolder)) return true;
      if (performance.now() < deadline) return false;
      throw new CommandFailure(
        `The server with pid ${server.pid} uses ${dataFolder}, but does not answer at ${server.url}. Stop it with: ${commandLine("down")}`,
      );
    },
  };
}

/** Through the socket if there is one: HTTP clients refuse some ports, and a proxy may be configured. */
async function answers({ url }: ServerFile, folder: string): Promise<boolean> {
  try {
    const client = createClient(addressOf({ url, token: null, folder }).client);
    await client.health({ signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return true;
  } catch {
    return false;
  }
}

/** In its own session, so that neither Ctrl-C nor the end of the terminal reaches it. */
function spawnServer(dataFolder: string, plan: StartPlan, outputFile: string): ChildProcess {
  // The output of the last start is not kept. Appending lets two starts at the same time share the file.
  closeSync(openSync(outputFile, "w", 0o600));
  const output = openSync(outputFile, "a", 0o600);
  try {
    const args = [PROGRAM_FILE, ...serveArguments(dataFolder, plan)];
    // The server passes the umask that it starts with on to its agents.
    const child = withUsersUmask(() =>
      spawn(process.execPath, args, {
        cwd: plan.folder,
        env: withSettings(process.env, plan.environment),
        detached: true,
        stdio: ["ignore", output, output],
      }),
    );
    // Without a listener, a program that cannot be started would throw. Its missing process is noticed as an exit.
    child.once("error", () => {});
    return child;
  } finally {
    closeSync(output);
  }
}

const PROGRESS = /^holdfast: (starting: .*)$/u;

/** Passes on what a slow server says about its start. */
function createProgress(outputFile: string, onProgress: (line: string) => void) {
  let passedOn = 0;
  return {
    look: (): void => {
      const lines = readLines(outputFile).flatMap((line) => PROGRESS.exec(line)?.[1] ?? []);
      for (const line of lines.slice(passedOn)) onProgress(line);
      passedOn = Math.max(passedOn, lines.length);
    },
  };
}

/** The server's own error, if it printed one. */
function startFailure({ exitCode, signalCode }: ChildProcess, outputFile: string): string {
  const lines = readLines(outputFile).filter((line) => !PROGRESS.test(line));
  const own = /^holdfast: (.*)$/u.exec(lines.at(-1) ?? "")?.[1];
  if (own !== undefined) return own;
  const end = signalCode === null ? `exit code ${exitCode}` : signalCode;
  const last = lines.slice(-REASON_LINES);
  return [`The server ended with ${end} before it was ready.`, ...last].join("\n");
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
  } catch {
    return [];
  }
}
