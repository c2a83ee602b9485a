import { v7 as newId } from "uuid";
import type { Catalog } from "../../providers/catalog.ts";
import { removeJournal } from "../../providers/journal.ts";
import { openOffline } from "../../runtime/open-offline.ts";
import { createRepositories, type Repositories } from "../../runtime/repositories/repositories.ts";
import { inspectDatabase, openMigrations, openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import { bundlesIn, journalFolder, makeDataFolder } from "../settings/data-folder.ts";
import { CommandFailure } from "../exit.ts";
import { refuseWhileInUse, requireData, type NamedDatabase } from "./served-database.ts";
import { describeDatabase, type ServeSettings } from "../settings/settings.ts";
import { databaseDesk } from "./database-desk.ts";
import type { Desk } from "./desk.ts";
import { deskSettings, findServer, type DeskFlags } from "./find-server.ts";
import { serverDesk } from "./server-desk.ts";

/**
 * What a command may do to a database that is not as this program needs it. `read`: nothing. `change`: migrate one of an
 * older version. `create`: also make a new one.
 */
export type DatabaseAccess = "read" | "change" | "create";

export interface DeskOptions {
  readonly access: DatabaseAccess;
  readonly withProviders?: boolean;
}

/** Commands are many and wait in line; a server's request is one and waits less. */
const BUSY_TIMEOUT_MS = 60_000;

/** The server that uses the named database when one runs, else the database itself. */
export async function openDesk(flags: DeskFlags, options: DeskOptions): Promise<Desk> {
  const settings = deskSettings(flags);
  const server = await findServer(flags, settings);
  return server === null ? openDatabaseDesk(settings, options) : serverDesk(server);
}

async function openDatabaseDesk(
  settings: ServeSettings,
  { access, withProviders = false }: DeskOptions,
): Promise<Desk> {
  const store = await openDatabase(settings, { access });
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

export async function openDatabase(
  named: NamedDatabase,
  { access, ownThread = false }: { readonly access: DatabaseAccess; readonly ownThread?: boolean },
): Promise<Store> {
  const { dataFolder, database } = named;
  const inspection = await inspectDatabase(database);
  if (access !== "create") requireData(named, inspection);
  const [pending] = inspection.pending;
  if (pending !== undefined) {
    if (access === "read")
      throw new CommandFailure(
        `${describeDatabase(database)}: the database is of an older version, without ${pending}. Run: holdfast db migrate`,
      );
    if (inspection.holds === "holdfast") await refuseWhileInUse(named);
    makeDataFolder(dataFolder);
    await (await openMigrations(database)).up();
  }
  return openStore(database, { clock: Date.now, ownThread, busyTimeoutMs: BUSY_TIMEOUT_MS });
}

async function providersOf(settings: ServeSettings): Promise<Catalog> {
  const { catalogOf } = await import("../catalog.ts");
  return catalogOf(settings);
}

const NO_PROVIDERS: Catalog = { get: () => null, all: () => [], defaultName: "demo" };

/** The workspace root is looked at only when a repository is. */
function repositoriesOf({ workspaceRoot }: ServeSettings, store: Store): Repositories {
  const open = async (): Promise<Repositories> => {
    const { openWorkspaceRoot } = await import("../../runtime/repositories/workspace-root.ts");
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
