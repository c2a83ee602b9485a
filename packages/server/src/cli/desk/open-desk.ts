import { v7 as newId } from "uuid";
import type { Catalog } from "../../providers/catalog.ts";
import { removeJournal } from "../../providers/journal.ts";
import { openOffline } from "../../runtime/open-offline.ts";
import { createRepositories, type Repositories } from "../../runtime/repositories.ts";
import { StorageFault } from "../../storage/fault.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import { bundlesIn, journalFolder, makeDataFolder, runningServer } from "../data-folder.ts";
import { nearby } from "../nearby.ts";
import { serveSettings, type DataFlags, type ServeSettings } from "../settings.ts";
import { databaseDesk } from "./database-desk.ts";
import type { Desk } from "./desk.ts";
import { serverDesk } from "./server-desk.ts";

export interface DeskFlags extends DataFlags {
  /** Of a server, wherever it is. */
  readonly url?: string;
}

/** Commands are many and wait in line; a server's request is one and waits less. */
const BUSY_TIMEOUT_MS = 60_000;

/** A running server when there is one, else the database itself. */
export async function openDesk(
  flags: DeskFlags,
  { withProviders = false }: { readonly withProviders?: boolean } = {},
): Promise<Desk> {
  const settings = serveSettings(flags, process.env);
  const url = flags.url ?? runningServer(settings.dataFolder)?.url;
  if (url !== undefined) return serverDesk({ url: nearby(url), token: settings.token });
  return openDatabaseDesk(settings, { withProviders });
}

async function openDatabaseDesk(
  settings: ServeSettings,
  { withProviders }: { readonly withProviders: boolean },
): Promise<Desk> {
  const store = await openDatabase(settings);
  const catalog = withProviders ? await providersOf(settings) : NO_PROVIDERS;
  const requests = openOffline({
    store,
    catalog,
    repositories: repositoriesOf(settings, store),
    resumePolicy: settings.resume,
    clock: Date.now,
    newId,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    spoolFolder: bundlesIn(settings.dataFolder),
    removed: { folder: bundlesIn(settings.dataFolder), keptMs: settings.retention.bundleMs },
    forgetSession: (sessionId) => removeJournal(journalFolder(settings.dataFolder), sessionId),
  });
  return databaseDesk(requests, store.close);
}

/** Opened as it is; only a database that is new, or of an older version, is migrated first. */
export async function openDatabase(
  { dataFolder, database }: Pick<ServeSettings, "dataFolder" | "database">,
  { ownThread = false }: { readonly ownThread?: boolean } = {},
): Promise<Store> {
  makeDataFolder(dataFolder);
  const open = (location: DatabaseLocation): Promise<Store> =>
    openStore(location, { clock: Date.now, ownThread, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return await open(database);
  } catch (error) {
    if (!(error instanceof StorageFault && error.code === "schema_too_old")) throw error;
    await (await openMigrations(database)).up();
    return open(database);
  }
}

async function providersOf(settings: ServeSettings): Promise<Catalog> {
  const { catalogOf } = await import("../catalog.ts");
  return catalogOf(settings);
}

const NO_PROVIDERS: Catalog = { get: () => null, all: () => [], defaultName: "demo" };

/** The workspace root is looked at only when a repository is. */
function repositoriesOf({ workspaceRoot }: ServeSettings, store: Store): Repositories {
  const open = async (): Promise<Repositories> => {
    const { openWorkspaceRoot } = await import("../../runtime/workspace/workspace-root.ts");
    const root = await openWorkspaceRoot(workspaceRoot, { onViolation: () => {} });
    return createRepositories({ store, root, newId, clock: Date.now });
  };
  let opened: Promise<Repositories> | null = null;
  const repositories = (): Promise<Repositories> => (opened ??= open());
  return {
    add: async (request) => (await repositories()).add(request),
    list: () => store.listRepos(),
    remove: async (repoId) => (await repositories()).remove(repoId),
    missing: async (labels) => (await repositories()).missing(labels),
    openForAgent: async (repoId) => (await repositories()).openForAgent(repoId),
  };
}
