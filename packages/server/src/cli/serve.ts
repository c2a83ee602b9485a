import { existsSync } from "node:fs";
import path from "node:path";
import { buildApp, type App } from "../http/build-app.ts";
import { readiness } from "../runtime/readiness.ts";
import { startRowCheck } from "../runtime/row-check.ts";
import { StorageFault } from "../storage/fault.ts";
import { openMigrations, openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { lockDataFolder } from "./data-folder.ts";
import { CommandFailure } from "./exit.ts";
import { describeDatabase, type ServeSettings } from "./settings.ts";
import { VERSION } from "./version.ts";

export interface Server {
  readonly url: string;
  /** Resolves when everything is closed and the data folder free. */
  stop(): Promise<void>;
}

const WEB_FOLDER = path.resolve(import.meta.dirname, "../web");

/** The composition root: everything a server is made of, put together, and taken apart in reverse. */
export async function startServer(settings: ServeSettings): Promise<Server> {
  const lock = lockDataFolder(settings.dataFolder);
  const closers: (() => Promise<unknown>)[] = [async () => lock.release()];
  try {
    const store = await openDatabase(settings);
    closers.push(store.close);
    const startedAt = new Date();
    const app = await buildApp({
      version: VERSION,
      startedAt,
      token: settings.token,
      webFolder: existsSync(WEB_FOLDER) ? WEB_FOLDER : null,
      readiness: () => readiness(store),
      logLevel: "warn",
    });
    closers.push(() => app.close());
    const url = await listen(app, settings);
    lock.announce({ url, pid: process.pid, startedAt: startedAt.toISOString(), version: VERSION });
    closers.push(startRowCheck(store, { onFailure: reportFailedCheck }).stop);
    let stopping: Promise<void> | null = null;
    return { url, stop: () => (stopping ??= closeAll(closers)) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** The last opened first; one that fails does not keep the others open. */
async function closeAll(closers: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, "Not everything could be closed.");
}

async function openDatabase({ database }: ServeSettings): Promise<Store> {
  try {
    await (await openMigrations(database)).up();
    return await openStore(database, { clock: Date.now, onSetAside: reportSetAside });
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    throw new CommandFailure(`${describeDatabase(database)}: ${error.message}`, undefined, {
      cause: error,
    });
  }
}

function reportSetAside({
  tableName,
  rowId,
  reason,
}: {
  tableName: string;
  rowId: string;
  reason: string;
}): void {
  process.stderr.write(
    `holdfast: set aside ${tableName} ${rowId}, which cannot be read: ${reason}\n`,
  );
}

function reportFailedCheck(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`holdfast: the stored sessions could not all be looked at: ${reason}\n`);
}

export function greeting(url: string, { dataFolder, database }: ServeSettings): string {
  return [
    `Holdfast ${VERSION} is ready at ${url}`,
    "",
    `  Page    ${url}/`,
    `  API     ${url}/openapi.json`,
    `  Data    ${dataFolder}`,
    `          ${describeDatabase(database)}`,
    "  Stop    Ctrl-C; nothing is lost",
  ].join("\n");
}

async function listen(app: App, { host, port }: ServeSettings): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new CommandFailure(whyNotListening(error, { host, port }), undefined, { cause: error });
  }
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}

function whyNotListening(error: unknown, { host, port }: { host: string; port: number }): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`;
    case "EACCES":
      return `Port ${port} on ${host} needs more rights than this user has. Choose one above 1023 with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Choose another with --host.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
