import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CommandFailure, EXIT, type ExitCode } from "../exit.ts";
import { logsIn, makeDataFolder, makeFolder, runningServer } from "../settings/data-folder.ts";
import { dataFolderOf, serveSettings, type ServeFlags } from "../settings/settings.ts";
import { commandLine } from "../terminal/invocation.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { PROGRAM_FILE } from "../version.ts";
import type { ServiceDescription } from "./service-file.ts";
import {
  commandText,
  failureOfCommand,
  serviceManager,
  type ServiceManager,
} from "./service-manager.ts";
import { serveArguments, startPlan } from "./start-record.ts";

export interface InstallFlags extends ServeFlags {
  readonly print?: true;
  readonly json?: true;
}

export interface ServiceFlags {
  readonly json?: true;
}

/** Installs the server as a service of this user. An installed service is replaced. */
export async function installService(flags: InstallFlags): Promise<void> {
  const printer = openPrinter(flags);
  const manager = serviceManager(process.env);
  const dataFolder = dataFolderOf(flags, process.env);
  serveSettings(flags, process.env);
  const text = manager.fileText(describeService(flags, dataFolder));
  if (flags.print === true) {
    if (flags.json === true)
      return printer.json({ manager: manager.name, file: manager.file, text });
    return void printer.terminal.stdout.stream.write(text);
  }
  refuseTemporaryProgram();
  const canManage = failureOfCommand(manager.probe) === null;
  const isActive = canManage && failureOfCommand(manager.isActive) === null;
  const server = runningServer(dataFolder);
  if (server !== null && !isActive)
    throw new CommandFailure(
      `A server with pid ${server.pid} uses ${dataFolder}. Stop it first with: ${commandLine("down")}`,
    );
  makeDataFolder(dataFolder);
  makeFolder(logsIn(dataFolder));
  // launchd does not load a service that is loaded.
  if (isActive && manager.name === "launchd") runAll(manager.disable);
  writeServiceFile(manager.file, text);
  if (canManage) runAll(manager.enable);
  report(printer, manager, { isStarted: canManage, isJson: flags.json === true });
}

function report(
  printer: Printer,
  manager: ServiceManager,
  { isStarted, isJson }: { readonly isStarted: boolean; readonly isJson: boolean },
): void {
  const { name, file, enable, beforeLogin } = manager;
  const commands = isStarted ? [] : enable.map(commandText);
  printer.result(
    { manager: name, file, started: isStarted, commands },
    isStarted
      ? `Installed ${file} and started the service.`
      : `Wrote ${file}. ${name} cannot be reached from here. To start the service, type:`,
  );
  if (!isJson) for (const command of commands) printer.line(`  ${command}`);
  if (beforeLogin !== null)
    printer.note(`It runs while you are logged in. To run it always: ${beforeLogin}`);
}

/** Done, too, if there is no service. */
export async function uninstallService(flags: ServiceFlags): Promise<void> {
  const printer = openPrinter(flags);
  const manager = serviceManager(process.env);
  const { name, file, disable, forget } = manager;
  if (!existsSync(file))
    return printer.result({ manager: name, file, removed: false }, "No service is installed.");
  const canManage = failureOfCommand(manager.probe) === null;
  if (!canManage)
    printer.warn(`${name} cannot be reached from here. If the service runs, it continues to run.`);
  const isActive = canManage && failureOfCommand(manager.isActive) === null;
  if (canManage && (isActive || name === "systemd")) runAll(disable);
  rmSync(file, { force: true });
  if (canManage) runAll(forget);
  return printer.result({ manager: name, file, removed: true }, `Removed ${file}.`);
}

/** Exit code 0 if the service is installed and active. */
export async function serviceStatus(flags: ServiceFlags): Promise<ExitCode> {
  const printer = openPrinter(flags);
  const { name, file, isActive: question } = serviceManager(process.env);
  const installed = existsSync(file);
  const active = installed && failureOfCommand(question) === null;
  const text = installed
    ? `${file} is installed. The service is ${active ? "active" : "not active"}.`
    : "No service is installed.";
  printer.result({ manager: name, file, installed, active }, text);
  return active ? EXIT.done : EXIT.no;
}

function describeService(flags: ServeFlags, dataFolder: string): ServiceDescription {
  const plan = startPlan(flags, process.env, process.cwd());
  return {
    command: [process.execPath, PROGRAM_FILE, ...serveArguments(dataFolder, plan)],
    folder: plan.folder,
    // Agents are looked up on the PATH, which a service manager would replace by a short one.
    environment: { PATH: process.env["PATH"] ?? "", ...plan.environment },
    outputFile: path.join(logsIn(dataFolder), "server.out"),
  };
}

/** The cache of npx can be emptied at any time. */
function refuseTemporaryProgram(): void {
  if (PROGRAM_FILE.split(path.sep).includes("_npx"))
    throw new CommandFailure(
      "A service needs an installed program, which npx does not provide. Run: npm install --global holdfast, then: holdfast service install",
    );
}

/** It can contain the token and the password of the database, so only the owner can read it. */
function writeServiceFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600 });
}

function runAll(commands: ServiceManager["enable"]): void {
  for (const command of commands) {
    const failure = failureOfCommand(command);
    if (failure !== null)
      throw new CommandFailure(`\`${commandText(command)}\` failed: ${failure}`);
  }
}
