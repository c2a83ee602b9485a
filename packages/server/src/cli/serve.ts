import { existsSync } from "node:fs";
import path from "node:path";
import { buildApp, type App } from "../http/build-app.ts";
import { readiness } from "../runtime/readiness.ts";
import { StorageFault } from "../storage/fault.ts";
import { openMigrations, openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { lockDataFolder, type DataFolderLock } from "./data-folder.ts";
import { CommandFailure } from "./exit.ts";
import { describeDatabase, type ServeSettings } from "./settings.ts";
import { VERSION } from "./version.ts";

export interface Server {
  readonly url: string;
  /** Resolves when everything is closed and the data folder free. */
  stop(): Promise<void>;
}

const WEB_FOLDER = path.resolve(import.meta.dirname, "../web");

/** The composition root: everything a server is made of, put together and taken apart in order. */
export async function startServer(settings: ServeSettings): Promise<Server> {
  const lock = lockDataFolder(settings.dataFolder);
  const opened: { store: Store | null; app: App | null } = { store: null, app: null };
  try {
    const store = await openDatabase(settings);
    opened.store = store;
    const startedAt = new Date();
    const app = await buildApp({
      version: VERSION,
      startedAt,
      token: settings.token,
      webFolder: existsSync(WEB_FOLDER) ? WEB_FOLDER : null,
      readiness: () => readiness(store),
      logLevel: "warn",
    });
    opened.app = app;
    const url = await listen(app, settings);
    lock.announce({ url, pid: process.pid, startedAt: startedAt.toISOString(), version: VERSION });
    let stopping: Promise<void> | null = null;
    return { url, stop: () => (stopping ??= close({ app, store, lock })) };
  } catch (error) {
    await close({ ...opened, lock });
    throw error;
  }
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

async function close({
  app,
  store,
  lock,
}: {
  app: App | null;
  store: Store | null;
  lock: DataFolderLock;
}): Promise<void> {
  try {
    await app?.close();
    await store?.close();
  } finally {
    lock.release();
  }
}
