import { openPage } from "../access/open-page.ts";
import { CommandFailure } from "../exit.ts";
import { readConfigFile } from "../settings/config-file.ts";
import { localUrl, runningServer } from "../settings/data-folder.ts";
import {
  dataFolderOf,
  serveSettings,
  type DataFlags,
  type ServeFlags,
} from "../settings/settings.ts";
import { commandLine } from "../terminal/invocation.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { VERSION } from "../version.ts";
import { readStartRecord, startPlan, type StartPlan } from "./start-record.ts";
import { startInBackground } from "./start-server.ts";
import { stopServer } from "./stop-server.ts";

export interface UpFlags extends ServeFlags {
  readonly open?: true;
  readonly json?: true;
}

export interface StopFlags extends Pick<DataFlags, "data"> {
  /** In seconds. */
  readonly timeout: number;
  readonly json?: true;
}

/** Starts a server in the background, unless one runs. */
export async function up(flags: UpFlags): Promise<void> {
  const printer = openPrinter(flags);
  const dataFolder = dataFolderOf(flags, process.env);
  // Bad settings are refused here, with their own exit code. A running server keeps the ones that it has.
  if (runningServer(dataFolder) === null) serveSettings(flags, process.env);
  await start(dataFolder, startPlan(flags, process.env, process.cwd()), printer);
  if (flags.open === true && flags.json !== true) await openPage({ data: dataFolder });
  if (readConfigFile(dataFolder).defaultProvider === null)
    printer.note(`Next, choose your agent: ${commandLine("init")}`);
}

export async function down(flags: StopFlags): Promise<void> {
  const printer = openPrinter(flags);
  const dataFolder = dataFolderOf(flags, process.env);
  const server = await stopServer(dataFolder, { withinMs: flags.timeout * 1_000 });
  const text =
    server === null
      ? `No server runs on ${dataFolder}.`
      : `Stopped the server at ${server.url} (pid ${server.pid}).`;
  printer.result({ stopped: server !== null, pid: server?.pid ?? null, dataFolder }, text);
}

/**
 * Stops the server and starts it with the settings of the last `up`, whatever the settings of this shell are. Its agents go on
 * meanwhile.
 */
export async function restart(flags: StopFlags): Promise<void> {
  const printer = openPrinter(flags);
  const dataFolder = dataFolderOf(flags, process.env);
  const record = readStartRecord(dataFolder);
  const server = runningServer(dataFolder);
  if (server !== null && server.pid !== record?.pid)
    throw new CommandFailure(
      `The server with pid ${server.pid} was not started with \`${commandLine("up")}\`. Restart it where it was started, or run \`${commandLine("down")}\` and then \`${commandLine("up")}\`.`,
    );
  await stopServer(dataFolder, { withinMs: flags.timeout * 1_000, keepsAgents: true });
  await start(dataFolder, record ?? startPlan({}, process.env, process.cwd()), printer);
}

async function start(dataFolder: string, plan: StartPlan, printer: Printer): Promise<void> {
  const onProgress = (line: string): void => printer.note(line);
  const { server, isNew } = await startInBackground(dataFolder, plan, onProgress);
  const { pid, version, startedAt } = server;
  const url = localUrl(server.url);
  printer.result(
    { started: isNew, url, pid, version, startedAt, dataFolder },
    isNew
      ? `Holdfast ${version} is ready at ${url} (pid ${pid}).`
      : `Holdfast ${version} already runs at ${url} (pid ${pid}).`,
  );
  if (server.workspaceRoot !== undefined)
    printer.note(`It works with repositories inside ${server.workspaceRoot}.`);
  if (version !== VERSION)
    printer.note(`This program is ${VERSION}. To run it: ${commandLine("restart")}`);
  if (isNew)
    printer.note(
      `Page: ${commandLine("open")}. Log: ${commandLine("logs")}. Stop: ${commandLine("down")}.`,
    );
}
