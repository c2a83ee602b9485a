import { createHash, randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { v7 as newId } from "uuid";
import { createAgentTokens } from "../http/agent-token.ts";
import { buildApp, type App } from "../http/build-app.ts";
import { sweepAgents } from "../providers/acp/process-sweep.ts";
import { createCatalog, type Catalog, type CatalogOptions } from "../providers/catalog.ts";
import { demoDefinition } from "../providers/demo/demo-definition.ts";
import { removeJournal } from "../providers/journal.ts";
import { openRuntime, type OpenRuntime } from "../runtime/open-runtime.ts";
import { createRepositories } from "../runtime/repositories.ts";
import { startRetention } from "../runtime/retention.ts";
import { startRowCheck } from "../runtime/row-check.ts";
import { openWorkspaceRoot, type WorkspaceRoot } from "../runtime/workspace/workspace-root.ts";
import { StorageFault } from "../storage/fault.ts";
import { openMigrations, openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { lockDataFolder } from "./data-folder.ts";
import { CommandFailure } from "./exit.ts";
import { openLogFile, type LogFile } from "./log-file.ts";
import { describeDatabase, type ServeSettings } from "./settings.ts";
import { openAgentTools } from "./tools/agent-tools.ts";
import { VERSION } from "./version.ts";

export interface Server {
  readonly url: string;
  /** Resolves when everything is closed and the data folder free. */
  stop(): Promise<void>;
}

type Logger = LogFile["logger"];
type ToolsFor = Required<Pick<CatalogOptions, "toolsFor">>;

const WEB_FOLDER = path.resolve(import.meta.dirname, "../web");
/** Of the ten seconds that a stop may take, what agents and sessions get. */
const STOP_WITHIN_MS = 6_000;

/** The composition root: everything a server is made of, put together, and taken apart in reverse. */
export async function startServer(settings: ServeSettings): Promise<Server> {
  const lock = lockDataFolder(settings.dataFolder);
  const closers: (() => Promise<unknown>)[] = [async () => lock.release()];
  try {
    const { logger, close } = openLogFile(settings.dataFolder, { level: settings.logLevel });
    closers.push(close);
    const store = await openDatabase(settings, logger);
    closers.push(store.close);
    const agentTokens = createAgentTokens();
    const tools = openAgentTools(agentTokens);
    const open = await startRuntime(settings, { store, logger, toolsFor: tools.toolsFor });
    closers.push(() => open.stop({ deadlineMs: STOP_WITHIN_MS }));
    closers.push(startJobs(settings, { store, logger, open }));
    const startedAt = new Date();
    const app = await buildApp({
      runtime: open.runtime,
      version: VERSION,
      startedAt,
      token: settings.token,
      agentTokens,
      webFolder: existsSync(WEB_FOLDER) ? WEB_FOLDER : null,
      logger,
    });
    // Whoever watches sees how the sessions end; only then are the connections closed.
    closers.push(
      () => app.close(),
      () => open.stop({ deadlineMs: STOP_WITHIN_MS }),
      async () => tools.reachableAt(null),
    );
    const url = await listen(app, settings);
    tools.reachableAt(url);
    lock.announce({ url, pid: process.pid, startedAt: startedAt.toISOString(), version: VERSION });
    logger.info({ url, version: VERSION, pid: process.pid }, "ready");
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

async function openDatabase({ database }: ServeSettings, logger: Logger): Promise<Store> {
  try {
    await (await openMigrations(database)).up();
    return await openStore(database, {
      clock: Date.now,
      onSetAside: ({ tableName, rowId, reason }) => {
        logger.error({ table: tableName, rowId, reason }, "set aside a row that cannot be read");
        process.stderr.write(
          `holdfast: set aside ${tableName} ${rowId}, which cannot be read: ${reason}\n`,
        );
      },
    });
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    throw new CommandFailure(`${describeDatabase(database)}: ${error.message}`, undefined, {
      cause: error,
    });
  }
}

async function startRuntime(
  settings: ServeSettings,
  { store, logger, toolsFor }: { readonly store: Store; readonly logger: Logger } & ToolsFor,
): Promise<OpenRuntime> {
  const owner = ownerOf(settings.dataFolder);
  const swept = await sweepAgents({ owner });
  if (swept.killed.length > 0) {
    logger.warn({ pids: swept.killed }, "ended agent processes that an earlier server had left");
  }
  const root = await openRoot(settings, logger);
  return openRuntime({
    store,
    node: randomUUID(),
    catalog: catalogOf(settings, { owner, logger, toolsFor }),
    repositories: createRepositories({ store, root, newId, clock: Date.now }),
    limits: settings.limits,
    permissions: settings.permissions,
    clock: Date.now,
    newId,
    log: logger,
    forgetSession: (sessionId) => removeJournal(journalFolder(settings), sessionId),
  });
}

/** Marks the agents of this data folder, so that the next server on it knows what was left. */
function ownerOf(dataFolder: string): string {
  return createHash("sha256").update(realpathSync(dataFolder)).digest("hex").slice(0, 16);
}

function catalogOf(
  settings: ServeSettings,
  { owner, logger, toolsFor }: { readonly owner: string; readonly logger: Logger } & ToolsFor,
): Catalog {
  return createCatalog({
    demo: demoDefinition({ stateFolder: path.join(settings.dataFolder, "demo") }),
    definitions: settings.agents,
    models: settings.models,
    defaultName: settings.defaultProvider,
    owner,
    environment: process.env,
    journalFolder: journalFolder(settings),
    clientVersion: VERSION,
    toolsFor,
    onLeftovers: ({ left }) => logger.error({ pids: left }, "agent processes would not end"),
  });
}

function journalFolder({ dataFolder }: ServeSettings): string {
  return path.join(dataFolder, "journals");
}

async function openRoot({ workspaceRoot }: ServeSettings, logger: Logger): Promise<WorkspaceRoot> {
  return openWorkspaceRoot(workspaceRoot, {
    onViolation: (violation) =>
      logger.warn({ security: "workspace", ...violation }, "a path outside the workspace root"),
  });
}

/** What goes on beside the sessions; returns how to stop it. */
function startJobs(
  { dataFolder, retention }: ServeSettings,
  {
    store,
    logger,
    open,
  }: { readonly store: Store; readonly logger: Logger; readonly open: OpenRuntime },
): () => Promise<unknown> {
  const rowCheck = startRowCheck(store, {
    onFailure: (err) => logger.error({ err }, "the stored sessions could not all be looked at"),
  });
  const cleaning = startRetention({
    store,
    policy: retention.policy,
    bundleMs: retention.bundleMs,
    bundleFolder: path.join(dataFolder, "bundles"),
    clock: Date.now,
    execute: open.execute,
    forgetSession: (sessionId) => removeJournal(path.join(dataFolder, "journals"), sessionId),
    log: logger,
  });
  return () => Promise.all([rowCheck.stop(), cleaning.stop()]);
}

export function greeting(url: string, settings: ServeSettings): string {
  const { dataFolder, database, workspaceRoot } = settings;
  return [
    `Holdfast ${VERSION} is ready at ${url}`,
    "",
    `  Page    ${url}/`,
    `  API     ${url}/docs`,
    `  Repos   inside ${workspaceRoot}`,
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
