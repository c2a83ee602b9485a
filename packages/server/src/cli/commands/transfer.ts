import { createReadStream, createWriteStream, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import type { Session } from "@holdfast/protocol";
import { v7 as newId } from "uuid";
import { STATUSES } from "../../domain/status.ts";
import { fromLines, toLines } from "../../http/wire/json-lines.ts";
import { BUNDLE_LIMITS } from "../../runtime/bundle/bundle-limits.ts";
import type { Desk } from "../desk/desk.ts";
import { databaseSettings } from "../desk/find-server.ts";
import { openDatabase } from "../desk/open-desk.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import type { StatesImported } from "../gaia/import-states.ts";
import { nameOf } from "../gaia/to-state.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { openProgress } from "../terminal/progress.ts";
import { escapeJson, neutraliseLine } from "../terminal/neutralise.ts";
import { withDesk, type CommonFlags } from "./tracking.ts";
import { counted } from "../counted.ts";

export interface ExportFlags extends CommonFlags {
  readonly format: "bundle" | "gaia";
  readonly to?: string;
}

export async function exportSessions(ids: readonly string[], flags: ExportFlags): Promise<number> {
  const write = flags.format === "gaia" ? exportGaia : exportBundles;
  return withDesk(flags, (desk) => write(desk, { ids, flags }), { access: "read" });
}

async function exportGaia(
  desk: Desk,
  { ids, flags }: { readonly ids: readonly string[]; readonly flags: ExportFlags },
): Promise<number> {
  const printer = openPrinter(flags);
  const { to: folder } = flags;
  if (folder === undefined)
    throw new CommandFailure(
      "Say where to: holdfast export --format gaia --to .claude/session",
      EXIT.usage,
    );
  const { exportStates } = await import("../gaia/export-states.ts");
  const progress = await openProgress(printer, "Exporting");
  const { total } = await desk.sessions.list({ limit: 1, status: [...STATUSES] });
  try {
    const sessions = ids.length > 0 ? named(desk, ids) : tracked(desk);
    const { written, unchanged, refused } = await exportStates(sessions, {
      folder,
      onProgress: (done) => progress.report(done, Math.max(done, ids.length || total)),
    });
    progress.end();
    if (!printer.isForPeople) printer.json({ written, unchanged, refused });
    else printer.line(`Wrote ${counted(written, "session")}; unchanged: ${unchanged}.`);
    for (const { sessionId, reason } of refused)
      process.stderr.write(`holdfast: ${neutraliseLine(`${sessionId}: ${reason}`)}\n`);
    return refused.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.end();
  }
}

async function* named(desk: Desk, ids: readonly string[]): AsyncGenerator<Session> {
  for (const id of ids) yield await desk.sessions.get(id);
}

/** What an orchestrator made, or somebody's agent works in; the rest GAIA knows nothing of. */
async function* tracked(desk: Desk): AsyncGenerator<Session> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Desk["sessions"]["list"]>> = await desk.sessions.list({
      status: [...STATUSES],
      limit: 100,
      ...(cursor !== null && { cursor }),
    });
    for (const session of page.sessions)
      if (session.agentId !== null || session.agentName !== null) yield session;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

async function exportBundles(
  desk: Desk,
  { ids, flags }: { readonly ids: readonly string[]; readonly flags: ExportFlags },
): Promise<number> {
  const printer = openPrinter(flags);
  const { to } = flags;
  const [only] = ids;
  if (only === undefined)
    throw new CommandFailure("Say which session: holdfast export ID", EXIT.usage);
  if (to === undefined) {
    if (ids.length > 1)
      throw new CommandFailure("Several sessions need a folder: --to FOLDER", EXIT.usage);
    const lines = desk.sessions.export(only);
    // Whoever reads it off a screen cannot import it anyway: there, its checksum need not hold.
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
      const lines = Readable.from(fromLines(desk.sessions.export(id)));
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

export type ImportFlags = CommonFlags;

export async function importSessions(
  paths: readonly string[],
  flags: ImportFlags,
): Promise<number> {
  const printer = openPrinter(flags);
  let exitCode: number = EXIT.done;
  for (const given of paths) {
    const isFolder =
      given !== "-" && statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
    const imported = isFolder
      ? importFolder(given, { printer, flags })
      : withDesk(flags, (desk) => importBundle(desk, { given, printer, flags }), {
          access: "create",
        });
    exitCode = Math.max(exitCode, await imported);
  }
  return exitCode;
}

/** Straight into the database, in bulk, also beside a server, which notices. */
async function importFolder(
  folder: string,
  { printer, flags }: { readonly printer: Printer; readonly flags: ImportFlags },
): Promise<number> {
  const { importStates } = await import("../gaia/import-states.ts");
  const settings = await databaseSettings(flags);
  const store = await openDatabase(settings, { access: "create", ownThread: true });
  const progress = await openProgress(printer, "Importing");
  try {
    const done = await importStates(store, {
      folder,
      onProgress: progress.report,
      clock: Date.now,
      newId,
    });
    progress.end();
    tellOfStates(printer, done);
    return done.setAside.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.end();
    await store.close();
  }
}

function tellOfStates(printer: Printer, done: StatesImported): void {
  const { imported, updated, unchanged, kept, setAside } = done;
  if (!printer.isForPeople)
    printer.json({ imported, updated, unchanged, kept, set_aside: setAside });
  else {
    const others = [
      ...(kept.length === 0 ? [] : [`${kept.length} changed but not taken over`]),
      ...(setAside.length === 0 ? [] : [`${setAside.length} could not be imported`]),
    ];
    const counts = [`${imported} imported`, `${updated} updated`, `${unchanged} unchanged`];
    printer.line(`${[...counts, ...others].join(", ")}.`);
  }
  for (const { file, reason } of [...kept, ...setAside])
    process.stderr.write(`holdfast: ${neutraliseLine(`${file}: ${reason}`)}\n`);
}

async function importBundle(
  desk: Desk,
  {
    given,
    printer,
    flags,
  }: { readonly given: string; readonly printer: Printer; readonly flags: ImportFlags },
): Promise<number> {
  const source = given === "-" ? process.stdin : await openFile(given);
  const lines = toLines(source, { maxBytes: BUNDLE_LIMITS.totalLength });
  const session = await desk.sessions.importLines(lines);
  if (flags.json === true) printer.json({ imported: [session.id] });
  else printer.line(nameOf(session));
  return EXIT.done;
}

/** Opened before it is read, so that what is not there is said in one line. */
async function openFile(file: string): Promise<Readable> {
  const stream = createReadStream(file);
  await new Promise((resolve, reject) => {
    stream.once("open", resolve);
    stream.once("error", () =>
      reject(new CommandFailure(`${file} cannot be read. Is it there?`, EXIT.no)),
    );
  });
  return stream;
}
