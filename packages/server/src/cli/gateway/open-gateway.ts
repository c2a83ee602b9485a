import type { WorkspaceRoot } from "../../runtime/repositories/workspace-root.ts";
import { gitOptions, keepOf, worktreesOf } from "../worktrees.ts";
import { createFolderGit } from "../../git/folder-git.ts";
import { v7 as newId } from "uuid";
import type { Catalog } from "../../providers/catalog.ts";
import { removeJournal } from "../../providers/journal.ts";
import { openOffline, type Offline } from "../../runtime/open-offline.ts";
import { createRepositories, type Repositories } from "../../runtime/repositories/repositories.ts";
import { openAccessTokens } from "../../runtime/tokens/access-tokens.ts";
import { inspectDatabase, openMigrations, openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import { bundlesIn, journalFolder, makeDataFolder } from "../settings/data-folder.ts";
import { CommandFailure } from "../exit.ts";
import { refuseWhileInUse, requireData, type NamedDatabase } from "./served-database.ts";
import { describeDatabase, type ServeSettings } from "../settings/settings.ts";
import { howToWidenRoot } from "../settings/widen-root.ts";
import { databaseGateway } from "./database-gateway.ts";
import { gatewaySettings, findServer, type CommonFlags } from "./find-server.ts";
import { serverGateway, type SessionGateway } from "./session-gateway.ts";
import { commandLine } from "../terminal/invocation.ts";

/** `read` does not change the schema, `change` may migrate an older one, `create` may also create the database. */
export type DatabaseAccess = "read" | "change" | "create";

/** Longer than a server waits: many commands may queue for the database. */
const BUSY_TIMEOUT_MS = 60_000;

/** Uses the server on the named database when one runs, else the database itself. */
export async function withGateway<Result>(
  flags: CommonFlags,
  access: DatabaseAccess,
  use: (gateway: SessionGateway) => Promise<Result>,
  { withProviders = false }: { readonly withProviders?: boolean } = {},
): Promise<Result> {
  const settings = gatewaySettings(flags);
  const server = await findServer(flags, settings);
  const gateway =
    server === null
      ? await openDatabaseGateway(settings, access, withProviders)
      : serverGateway(server);
  try {
    return await use(gateway);
  } finally {
    await gateway.close();
  }
}

async function openDatabaseGateway(
  settings: ServeSettings,
  access: DatabaseAccess,
  withProviders: boolean,
): Promise<SessionGateway> {
  const store = await openDatabase(settings, { access });
  const catalog = withProviders ? await providersOf(settings) : NO_PROVIDERS;
  let opened: Offline | null = null;
  const open = (): Offline =>
    openOffline({
      store,
      catalog,
      repositories: repositoriesOf(settings, store),
      resumePolicy: settings.resume,
      mcpVariables: settings.mcpVariables,
      clock: Date.now,
      newId,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      spoolFolder: bundlesIn(settings.dataFolder),
      removed: { folder: bundlesIn(settings.dataFolder), keptMs: settings.retention.bundleMs },
      git: createFolderGit(gitOptions(settings, null)),
      worktrees: worktreesOf(settings, () => rootOf(settings), null),
      keep: keepOf(settings, null),
      forgetSession: (sessionId) => removeJournal(journalFolder(settings.dataFolder), sessionId),
    });
  return databaseGateway({
    store,
    requests: () => (opened ??= open()),
    tokens: () => openAccessTokens({ store, clock: Date.now, newId }),
    resumePolicy: settings.resume,
  });
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
        `${describeDatabase(database)}: the database has an older schema, without ${pending}. Run: ${commandLine("db migrate")}`,
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

const NO_PROVIDERS: Catalog = {
  get: () => null,
  all: () => [],
  defaultName: "demo",
  makeDefault: () => {},
};

async function rootOf({
  workspaceRoot,
}: Pick<ServeSettings, "workspaceRoot">): Promise<WorkspaceRoot> {
  const { openWorkspaceRoot } = await import("../../runtime/repositories/workspace-root.ts");
  return openWorkspaceRoot(workspaceRoot, { onViolation: () => {}, howToWiden: howToWidenRoot });
}

/** Opens the workspace root when a repository is used for the first time. */
function repositoriesOf({ workspaceRoot, gitOwners }: ServeSettings, store: Store): Repositories {
  const open = async (): Promise<Repositories> => {
    const root = await rootOf({ workspaceRoot });
    const { findRefusedOwner } = await import("../../git/git-ownership.ts");
    return createRepositories({
      store,
      root,
      newId,
      clock: Date.now,
      findRefusedOwner: (folder) => findRefusedOwner(folder, gitOwners, process.env),
    });
  };
  let opened: Promise<Repositories> | null = null;
  const repositories = (): Promise<Repositories> => (opened ??= open());
  return {
    add: async (request) => (await repositories()).add(request),
    list: () => store.listRepos(),
    find: async () => (await repositories()).find(),
    remove: async (repoId) => (await repositories()).remove(repoId),
    missing: async (labels) => (await repositories()).missing(labels),
    openForAgent: async (repoId) => (await repositories()).openForAgent(repoId),
    openForSession: async (repoId) => (await repositories()).openForSession(repoId),
    refuse: async (repoId) => (await repositories()).refuse(repoId),
    openDirectory: async (directory) => (await repositories()).openDirectory(directory),
  };
}
