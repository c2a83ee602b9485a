import { counted } from "../terminal/format.ts";
import { createReadStream, createWriteStream, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { HoldfastError } from "@holdfast/client";
import type { Session } from "@holdfast/protocol";
import { v7 as newId } from "uuid";
import { STATUSES } from "../../domain/status.ts";
import { fromLines, toLines } from "../../http/wire/json-lines.ts";
import { BUNDLE_LIMITS } from "../../runtime/bundle/bundle-limits.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { databaseSettings, type CommonFlags } from "../gateway/find-server.ts";
import { openDatabase, withGateway } from "../gateway/open-gateway.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import type { StatesImported } from "../gaia/import-states.ts";
import { nameOf } from "../gaia/to-state.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { openProgress } from "../terminal/progress.ts";
import { escapeJson } from "../terminal/neutralise.ts";
import { eachSession } from "./tracking.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface ExportFlags extends CommonFlags {
  readonly format: "bundle" | "gaia";
  readonly to?: string;
}

export async function exportSessions(ids: readonly string[], flags: ExportFlags): Promise<number> {
  const write = flags.format === "gaia" ? exportGaia : exportBundles;
  return withGateway(flags, "read", (gateway) => write(gateway, ids, flags));
}

async function exportGaia(
  gateway: SessionGateway,
  ids: readonly string[],
  flags: ExportFlags,
): Promise<number> {
  const printer = openPrinter(flags);
  const { to: folder } = flags;
  if (folder === undefined)
    throw new CommandFailure(
      `Pass the target folder: ${commandLine("export --format gaia --to .claude/session")}`,
      EXIT.usage,
    );
  const { exportStates } = await import("../gaia/export-states.ts");
  const progress = await openProgress(printer, "Exporting");
  const { total } = await gateway.sessions.list({ limit: 1, status: [...STATUSES] });
  try {
    const sessions = ids.length > 0 ? named(gateway, ids) : tracked(gateway);
    const { written, unchanged, refused } = await exportStates(sessions, {
      folder,
      onProgress: (done) => progress.report(done, Math.max(done, ids.length || total)),
    });
    progress.end();
    if (flags.json === true) printer.json({ written, unchanged, refused });
    else printer.line(`Wrote ${counted(written, "session")}; unchanged: ${unchanged}.`);
    for (const { sessionId, reason } of refused) printer.warn(`${sessionId}: ${reason}`);
    return refused.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.end();
  }
}

async function* named(gateway: SessionGateway, ids: readonly string[]): AsyncGenerator<Session> {
  for (const id of ids) yield await gateway.sessions.read(id);
}

/** Sessions that an orchestrator created or that have an agent; GAIA does not know the others. */
async function* tracked(gateway: SessionGateway): AsyncGenerator<Session> {
  for await (const session of eachSession(gateway, { status: [...STATUSES], limit: 100 }))
    if (session.agentId !== null || session.agentName !== null) yield session;
}

async function exportBundles(
  gateway: SessionGateway,
  ids: readonly string[],
  flags: ExportFlags,
): Promise<number> {
  const printer = openPrinter(flags);
  const { to } = flags;
  const [only] = ids;
  if (only === undefined)
    throw new CommandFailure(`Pass the session to export: ${commandLine("export ID")}`, EXIT.usage);
  if (to === undefined) {
    if (ids.length > 1)
      throw new CommandFailure("Pass --to FOLDER to export several sessions.", EXIT.usage);
    const lines = gateway.sessions.export(only);
    // Text on a screen is not imported, so its checksum need not match.
    const shown = printer.terminal.stdout.isTerminal ? escaped(lines) : lines;
    await pipeline(Readable.from(fromLines(shown)), process.stdout, { end: false });
    return EXIT.done;
  }
  mkdirSync(to, { recursive: true });
  const progress = await openProgress(printer, "Exporting");
  const written: string[] = [];
  try {
    for (const [index, id] of ids.entries()) {
      const file = path.join(to, `${id.replaceAll(/[^\w.:-]/gu, "_")}.jsonl`);
      const lines = Readable.from(fromLines(gateway.sessions.export(id)));
      await pipeline(lines, createWriteStream(file, { mode: 0o600 }));
      written.push(file);
      progress.report(index + 1, ids.length);
    }
  } finally {
    progress.end();
  }
  if (flags.json === true) printer.json({ written });
  else for (const file of written) printer.line(file);
  return EXIT.done;
}

async function* escaped(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield escapeJson(line);
}

export async function importSessions(
  paths: readonly string[],
  flags: CommonFlags,
): Promise<number> {
  const printer = openPrinter(flags);
  let exitCode: number = EXIT.done;
  for (const source of paths) {
    const isFolder =
      source !== "-" && statSync(source, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) exitCode = Math.max(exitCode, await importFolder(source, printer, flags));
    else await withGateway(flags, "create", (gateway) => importBundle(gateway, source, printer));
  }
  return exitCode;
}

/** Writes to the database in bulk; a running server notices the changes. */
async function importFolder(folder: string, printer: Printer, flags: CommonFlags): Promise<number> {
  const { importStates } = await import("../gaia/import-states.ts");
  const settings = await databaseSettings(flags);
  const store = await openDatabase(settings, { access: "create", ownThread: true });
  const progress = await openProgress(printer, "Importing");
  try {
    const { report: onProgress } = progress;
    const result = await importStates(store, { folder, onProgress, clock: Date.now, newId });
    progress.end();
    printImported(printer, { source: folder, isJson: flags.json === true, ...result });
    return result.setAside.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.end();
    await store.close();
  }
}

function printImported(
  printer: Printer,
  {
    source,
    isJson,
    ...result
  }: StatesImported & { readonly source: string; readonly isJson: boolean },
): void {
  const { imported, updated, unchanged, kept, setAside } = result;
  if (isJson) printer.json({ source, imported, updated, unchanged, kept, refused: setAside });
  else {
    const others = [
      ...(kept.length === 0 ? [] : [`${kept.length} changed but not imported`]),
      ...(setAside.length === 0 ? [] : [`${setAside.length} could not be imported`]),
    ];
    const counts = [`${imported} imported`, `${updated} updated`, `${unchanged} unchanged`];
    printer.line(`${[...counts, ...others].join(", ")}.`);
  }
  for (const { file, reason } of [...kept, ...setAside]) printer.warn(`${file}: ${reason}`);
}

async function importBundle(
  gateway: SessionGateway,
  source: string,
  printer: Printer,
): Promise<void> {
  const stream = source === "-" ? process.stdin : await openFile(source);
  const lines = toLines(stream, { maxBytes: BUNDLE_LIMITS.totalLength });
  const session = await gateway.sessions.importLines(lines).catch((error: unknown) => {
    if (!(error instanceof HoldfastError) || error.code !== "bundle_invalid") throw error;
    throw new CommandFailure(
      `${source} is not a bundle of a session. ${error.detail}`,
      EXIT.failed,
      {
        cause: error,
      },
    );
  });
  const counts = { imported: 1, updated: 0, unchanged: 0, kept: [], refused: [] };
  printer.result({ source, ...counts, sessionId: session.id }, nameOf(session));
}

/** Opens the file before reading, so that a missing one is reported in one line. */
async function openFile(file: string): Promise<Readable> {
  const stream = createReadStream(file);
  await new Promise((resolve, reject) => {
    stream.once("open", resolve);
    stream.once("error", () => reject(new CommandFailure(`Cannot read ${file}.`, EXIT.no)));
  });
  return stream;
}
