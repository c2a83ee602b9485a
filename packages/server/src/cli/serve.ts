import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { v7 as newId } from "uuid";
import { createAgentTokens } from "../http/guard/agent-token.ts";
import { createSignInCodes } from "../http/guard/sign-in-codes.ts";
import { errorText } from "../domain/error-text.ts";
import type { App } from "../http/app.ts";
import { sweepAgents } from "../providers/acp/process/process-sweep.ts";
import type { CatalogOptions } from "../providers/catalog.ts";
import { removeJournal } from "../providers/journal.ts";
import type { Sandbox } from "../providers/sandbox/sandbox.ts";
import { openRuntime, type OpenRuntime } from "../runtime/open-runtime.ts";
import { NO_FAILPOINT } from "../runtime/failpoint.ts";
import { createRepositories } from "../runtime/repositories/repositories.ts";
import { openAccessTokens } from "../runtime/tokens/access-tokens.ts";
import { openBrowsers } from "../runtime/tokens/browsers.ts";
import { startRetention } from "../runtime/upkeep/retention.ts";
import { startRowCheck } from "../runtime/upkeep/row-check.ts";
import { openWorkspaceRoot } from "../runtime/repositories/workspace-root.ts";
import { StorageFault } from "../storage/fault.ts";
import { identifyDatabase, openMigrations, openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { catalogOf, describeSandbox, openSandboxOf, ownerOf } from "./catalog.ts";
import { signInAddress } from "./access/sign-in-address.ts";
import { socketFileIn } from "./access/socket-file.ts";
import { obtainToken } from "./access/token-file.ts";
import {
  bundlesIn,
  journalFolder,
  localUrl,
  lockDataFolder,
  recordNode,
} from "./settings/data-folder.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { openLogFile, type LogFile } from "./log-file.ts";
import { databaseFile, describeDatabase, type ServeSettings } from "./settings/settings.ts";
import { openAgentTools } from "./tools/agent-tools.ts";
import { neutraliseLine } from "./terminal/neutralise.ts";
import { VERSION } from "./version.ts";

export interface Server {
  readonly url: string;
  /** The address of the page for a person at a terminal, which signs in one browser. */
  signInAddress(): string;
  /** How agents are started, for the greeting. */
  readonly sandbox: string;
  /** Resolves when everything is closed and the data folder free. */
  stop(): Promise<void>;
}

type Logger = LogFile["logger"];

const WEB_FOLDER = path.resolve(import.meta.dirname, "../web");
/** The share of agents and sessions in the ten seconds that a stop may take. */
const STOP_WITHIN_MS = 6_000;

export interface ServerOptions {
  /** Called at named points; crash tests kill the process there. */
  readonly failpoint?: (name: string) => void;
}

/** The composition root: opens all parts of a server, and closes them in reverse order. */
export async function startServer(
  settings: ServeSettings,
  { failpoint = NO_FAILPOINT }: ServerOptions = {},
): Promise<Server> {
  const lock = lockDataFolder(settings.dataFolder);
  const closers: (() => Promise<unknown>)[] = [async () => lock.release()];
  try {
    const { logger, close } = openLogFile(settings.dataFolder, { level: settings.logLevel });
    closers.push(close);
    const token = tokenOf(settings, logger);
    const store = await openDatabase(settings, logger, failpoint);
    closers.push(store.close);
    const agentTokens = createAgentTokens();
    const tools = openAgentTools(agentTokens);
    // Loads the HTTP layer while the sandbox is tested and the writer thread starts.
    const [sandbox, { buildApp }] = await Promise.all([
      openSandboxOf(settings),
      import("../http/build-app.ts"),
    ]);
    logSandbox(sandbox, logger);
    const node = randomUUID();
    const forAgents = { toolsFor: tools.toolsFor, sandbox };
    const open = await startRuntime(settings, { store, node, logger, failpoint, forAgents });
    closers.push(() => open.stop({ deadlineMs: STOP_WITHIN_MS }));
    closers.push(startJobs(settings, store, logger, open));
    const startedAt = new Date();
    const tokens = openAccessTokens({ store, clock: Date.now, newId });
    const signInCodes = createSignInCodes();
    const app = await buildApp({
      runtime: open.runtime,
      version: VERSION,
      startedAt,
      token,
      tokens,
      browsers: openBrowsers({ store, tokens, clock: Date.now, newId }),
      signInCodes,
      agentTokens,
      limits: settings.limits,
      sandbox: () => sandbox.state,
      webFolder: existsSync(WEB_FOLDER) ? WEB_FOLDER : null,
      logger,
    });
    // Clients see how the sessions end before their connections are closed.
    closers.push(
      () => app.close(),
      () => open.stop({ deadlineMs: STOP_WITHIN_MS }),
      async () => tools.reachableAt(null),
    );
    const database = (await identifyDatabase(settings.database)) ?? undefined;
    const url = await listen(app, settings);
    closers.push(await openSocket(app, settings, logger));
    tools.reachableAt(url);
    lock.announce({
      url,
      pid: process.pid,
      startedAt: startedAt.toISOString(),
      version: VERSION,
      node,
      database,
    });
    logger.info({ url, version: VERSION, pid: process.pid }, "ready");
    let stopping: Promise<void> | null = null;
    return {
      url,
      signInAddress: () =>
        token === null ? `${url}/` : signInAddress(localUrl(url), signInCodes.create()),
      sandbox: describeSandbox(sandbox),
      stop: () => (stopping ??= closeAll(closers)),
    };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Null when authentication is turned off, which is said where the user sees it. */
function tokenOf({ auth, token, dataFolder }: ServeSettings, logger: Logger): string | null {
  if (auth === "token")
    return (
      token ??
      obtainToken(dataFolder, {
        onClosed: (file) =>
          logger.warn({ file }, "other users could read the token file; only its owner can now"),
      })
    );
  if (token !== null)
    throw new CommandFailure(
      'HOLDFAST_TOKEN is set, but authentication is turned off ("auth": "none"). Remove one of them.',
      EXIT.usage,
    );
  logger.warn("authentication is turned off");
  process.stderr.write(
    "holdfast: authentication is turned off: every program on this machine, including agents, can use this server as you.\n",
  );
  return null;
}

/** Closes in reverse order. A failure does not stop the others from closing. */
async function closeAll(closers: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, "Not everything could be closed.");
}

async function openDatabase(
  { database, retention }: ServeSettings,
  logger: Logger,
  failpoint: (name: string) => void,
): Promise<Store> {
  try {
    await (await openMigrations(database, failpoint)).up();
    return await openStore(database, {
      clock: Date.now,
      retention: retention.policy,
      onTrouble: (problem, err) => logger.warn({ err }, problem),
      onQuarantine: ({ tableName, rowId, reason }) => {
        logger.error({ table: tableName, rowId, reason }, "set aside a row that cannot be read");
        process.stderr.write(
          `holdfast: set aside ${tableName} ${neutraliseLine(`${rowId}, which cannot be read: ${reason}`)}\n`,
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

interface RuntimeParts extends Required<ServerOptions> {
  readonly store: Store;
  readonly node: string;
  readonly logger: Logger;
  readonly forAgents: Required<Pick<CatalogOptions, "toolsFor" | "sandbox">>;
}

async function startRuntime(
  settings: ServeSettings,
  { store, node, logger, failpoint, forAgents }: RuntimeParts,
): Promise<OpenRuntime> {
  const owner = ownerOf(settings.dataFolder);
  const { killed } = await sweepAgents({ owner });
  if (killed.length > 0)
    logger.warn({ pids: killed }, "ended agent processes that an earlier server had left");
  const root = await openWorkspaceRoot(settings.workspaceRoot, {
    onViolation: (violation) =>
      logger.warn({ security: "workspace", ...violation }, "a path outside the workspace root"),
  });
  // Only a shared database keeps leases of other nodes.
  const isShared = databaseFile(settings.database) === null;
  const formerNode = isShared ? recordNode(settings.dataFolder, node) : null;
  return openRuntime({
    store,
    node,
    formerNode,
    catalog: catalogOf(settings, {
      ...forAgents,
      onLeftovers: ({ left }) => logger.error({ pids: left }, "agent processes would not end"),
    }),
    repositories: createRepositories({ store, root, newId, clock: Date.now }),
    limits: settings.limits,
    member: settings.member,
    version: VERSION,
    continueInterrupted: settings.continueInterrupted,
    permissions: settings.permissions,
    resumePolicy: settings.resume,
    clock: Date.now,
    newId,
    log: logger,
    failpoint,
    spoolFolder: bundlesIn(settings.dataFolder),
    removed: { folder: bundlesIn(settings.dataFolder), keptMs: settings.retention.bundleMs },
    forgetSession: (sessionId) => removeJournal(journalFolder(settings.dataFolder), sessionId),
  });
}

/** Starts the background jobs; returns a function that stops them. */
function startJobs(
  { dataFolder, retention }: ServeSettings,
  store: Store,
  logger: Logger,
  open: OpenRuntime,
): () => Promise<unknown> {
  const rowCheck = startRowCheck(store, {
    onFailure: (err) => logger.error({ err }, "the check of the stored sessions failed"),
  });
  const cleaning = startRetention({
    store,
    policy: retention.policy,
    bundleMs: retention.bundleMs,
    bundleFolder: bundlesIn(dataFolder),
    obstacleOf: open.obstacleOf,
    clock: Date.now,
    execute: open.execute,
    isOurs: open.isEldest,
    forgetSession: (sessionId) => removeJournal(journalFolder(dataFolder), sessionId),
    log: logger,
  });
  return () => Promise.all([rowCheck.stop(), cleaning.stop()]);
}

function logSandbox({ state, madeWith }: Sandbox, logger: Logger): void {
  if (state.active) logger.info({ madeWith }, "agents are started in a sandbox");
  else if (state.mode === "required") {
    logger.error({ reason: state.reason }, "no agent is started: a sandbox is required");
    process.stderr.write(
      `holdfast: no agent can be started: a sandbox is required but not available. ${state.reason}\n`,
    );
  } else
    logger[state.mode === "off" ? "info" : "warn"](
      { ...state },
      "agents are started without a sandbox",
    );
}

/** A log file or a pipe gets no address that signs in: others may read it later. */
export function greeting(
  { url, sandbox, signInAddress: addressOf }: Server,
  settings: ServeSettings,
  { isTerminal }: { readonly isTerminal: boolean },
): string {
  const { dataFolder, database, workspaceRoot } = settings;
  const page = isTerminal
    ? [addressOf(), "(works once)"]
    : [`${url}/`, "(open it with: holdfast open)"];
  return [
    `Holdfast ${VERSION} is ready at ${url}`,
    "",
    `  Page    ${page.join("  ")}`,
    `  API     ${url}/docs`,
    `  Repos   inside ${workspaceRoot}`,
    `  Agents  ${sandbox}`,
    `  Data    ${dataFolder}`,
    `          ${describeDatabase(database)}`,
    "  Stop    Ctrl-C (nothing is lost)",
  ].join("\n");
}

async function listen(app: App, { host, port }: ServeSettings): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new CommandFailure(listenFailure(error, { host, port }), undefined, { cause: error });
  }
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}

/** The API for programs of this user, without a token. A server works without it. */
async function openSocket(
  app: App,
  { dataFolder }: ServeSettings,
  logger: Logger,
): Promise<() => Promise<unknown>> {
  const file = socketFileIn(dataFolder);
  try {
    const { listenOnSocket } = await import("../http/server/local-socket.ts");
    const socket = await listenOnSocket(app, file);
    return async () => socket.close();
  } catch (err) {
    logger.warn({ err, file }, "there is no Unix socket: commands use the token file instead");
    return async () => {};
  }
}

function listenFailure(error: unknown, { host, port }: { host: string; port: number }): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`;
    case "EACCES":
      return `Port ${port} on ${host} needs privileges that this user does not have. Choose one above 1023 with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Choose another with --host.`;
    default:
      return `Cannot listen on ${host}:${port}: ${errorText(error)}`;
  }
}
