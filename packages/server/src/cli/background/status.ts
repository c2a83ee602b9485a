import { createClient } from "@holdfast/client";
import { errorText } from "../../domain/error-text.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { addressOf } from "../gateway/find-server.ts";
import { isLocked, localUrl, runningServer, type ServerFile } from "../settings/data-folder.ts";
import { dataFolderOf, type DataFlags } from "../settings/settings.ts";
import { commandLine } from "../terminal/invocation.ts";
import { openPrinter } from "../terminal/printer.ts";

export interface StatusFlags extends Pick<DataFlags, "data"> {
  readonly json?: true;
}

const ANSWER_WITHIN_MS = 5_000;

/** Exit code 0 if a server runs, 1 if none does, 2 if one runs and does not answer. */
export async function status(flags: StatusFlags): Promise<ExitCode> {
  const printer = openPrinter(flags);
  const dataFolder = dataFolderOf(flags, process.env);
  const server = runningServer(dataFolder);
  if (server === null) {
    const isStarting = isLocked(dataFolder);
    const text = isStarting
      ? `A server on ${dataFolder} is starting or stopping.`
      : `No server runs on ${dataFolder}.`;
    printer.result({ running: false, starting: isStarting, dataFolder }, text);
    if (!isStarting) printer.note(`Start one with: ${commandLine("up")}`);
    return EXIT.no;
  }
  const work = await readWork(server, dataFolder);
  const { pid, version, startedAt, databaseName = null, workspaceRoot = null } = server;
  const url = localUrl(server.url);
  const known = { url, pid, version, startedAt, dataFolder, database: databaseName, workspaceRoot };
  if (flags.json === true) printer.json({ running: true, ...known, ...work });
  else {
    const rows: readonly (readonly [string, string | null])[] = [
      ["running", "yes"],
      ["url", url],
      ["pid", String(pid)],
      ["version", version],
      ["started", printer.ago(startedAt)],
      ["data folder", dataFolder],
      ["database", databaseName],
      ["repositories", workspaceRoot === null ? null : `inside ${workspaceRoot}`],
      ["live agents", work.problem === null ? `${work.liveAgents} of ${work.maxAgents}` : null],
      ["questions", work.problem === null ? String(work.questions) : null],
      ["problem", work.problem],
    ];
    for (const [name, value] of rows) {
      if (value === null) continue;
      printer.line(printer.isForPeople ? `${name.padEnd(14)}${value}` : `${name}: ${value}`);
    }
  }
  return work.answers ? EXIT.done : EXIT.failed;
}

interface Work {
  readonly answers: boolean;
  /** Why the server cannot work, as a sentence. */
  readonly problem: string | null;
  readonly liveAgents: number | null;
  readonly maxAgents: number | null;
  /** Sessions that wait for an answer. */
  readonly questions: number | null;
}

async function readWork(server: ServerFile, folder: string): Promise<Work> {
  // The files of the data folder give access, whatever token this shell has.
  const client = createClient(addressOf({ url: server.url, token: null, folder }).client);
  const options = { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) };
  const unknown = { liveAgents: null, maxAgents: null, questions: null };
  try {
    const { reason } = await client.readiness(options);
    if (reason !== null) return { answers: true, problem: reason, ...unknown };
    const [metrics, { suspensions }] = await Promise.all([
      client.metrics(options),
      client.suspensions(options),
    ]);
    return {
      answers: true,
      problem: null,
      liveAgents: gaugeIn(metrics, "holdfast_live_agents"),
      maxAgents: gaugeIn(metrics, "holdfast_live_agents_limit"),
      questions: suspensions.length,
    };
  } catch (error) {
    return { answers: false, problem: `It does not answer: ${errorText(error)}.`, ...unknown };
  }
}

function gaugeIn(metrics: string, name: string): number | null {
  const text = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, "mu").exec(metrics)?.[1];
  return text === undefined ? null : Number(text);
}
