import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure, EXIT } from "../exit.ts";
import { logFilesIn } from "../log-file.ts";
import { dataFolderOf, type DataFlags } from "../settings/settings.ts";
import { escapeJson } from "../terminal/neutralise.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { readableLine } from "./log-line.ts";
import { followFile, lastLines } from "./log-tail.ts";

export interface LogsFlags extends Pick<DataFlags, "data"> {
  readonly follow?: true;
  readonly lines: number;
  readonly json?: true;
}

const POLL_MS = 200;

/** Prints the end of the log: readable on a terminal, JSON lines as they are elsewhere. `--follow` never returns. */
export async function logs(flags: LogsFlags): Promise<void> {
  const printer = openPrinter(flags);
  const dataFolder = dataFolderOf(flags, process.env);
  const files = logFilesIn(dataFolder);
  const [newest = "", ...older] = files;
  if (flags.follow !== true && !files.some((file) => existsSync(file)))
    throw new CommandFailure(`There is no log in ${dataFolder}: no server has used it.`, EXIT.no);
  const log = followFile(newest);
  try {
    for (const line of lastLines(log, older, flags.lines)) print(line, printer);
    while (flags.follow === true) {
      for (const line of log.read()) print(line, printer);
      await pause(POLL_MS);
    }
  } finally {
    log.close();
  }
}

function print(line: string, printer: Printer): void {
  if (printer.isForPeople)
    printer.terminal.stdout.stream.write(`${readableLine(line, printer.paint)}\n`);
  else printer.terminal.stdout.stream.write(`${escapeJson(line)}\n`);
}
