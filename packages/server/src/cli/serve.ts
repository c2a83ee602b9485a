import { createFolderGit } from "../git/folder-git.ts";
import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { v7 as newId } from "uuid";
import { createAgentTokens } from "../http/guard/agent-token.ts";
import { createSignInCodes } from "../http/guard/sign-in-codes.ts";
import { sweepAgents } from "../providers/acp/process/process-sweep.ts";
import type { CatalogOptions } from "../providers/catalog.ts";
import { sweepControlGroups } from "../providers/containment/control-group.ts";
import { removeJournal } from "../providers/journal.ts";
import { findRefusedOwner } from "../git/git-ownership.ts";
import type { Sandbox } from "../providers/sandbox/sandbox.ts";
import { openRuntime, type OpenRuntime } from "../runtime/open-runtime.ts";
import { NO_FAILPOINT } from "../runtime/failpoint.ts";
import { createRepositories } from "../runtime/repositories/repositories.ts";
import { openAccessTokens } from "../runtime/tokens/access-tokens.ts";
import { openBrowsers } from "../runtime/tokens/browsers.ts";
import { startDamageWatch, type DamageWatch } from "../runtime/upkeep/damage-watch.ts";
import { startRetention } from "../runtime/upkeep/retention.ts";
import { startRowCheck } from "../runtime/upkeep/row-check.ts";
import { openWorkspaceRoot } from "../runtime/repositories/workspace-root.ts";
import { isDiskFull, StorageFault } from "../storage/fault.ts";
import { damageText } from "./commands/damage.ts";
import {
  findDatabaseDamage,
  identifyDatabase,
  openMigrations,
  openStore,
} from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { gitOptions, keepOf, worktreesOf } from "./worktrees.ts";
import { catalogOf, describeSandbox, openSandboxOf, ownerOf } from "./catalog.ts";
import { defined } from "../domain/defined.ts";
import { foundIn, hostState, openHostOf, toolKeyIn } from "./agent-host.ts";
import { openEditorDoor } from "./doors/editor-door.ts";
import { openMcpDoor } from "./doors/mcp-door.ts";
import { processStart } from "./background/process-start.ts";
import { signInAddress } from "./access/sign-in-address.ts";
import { serverToken } from "./access/server-token.ts";
import {
  bundlesIn,
  journalFolder,
  localUrl,
  lockDataFolder,
  recordNode,
} from "./settings/data-folder.ts";
import { CommandFailure } from "./exit.ts";
import { knownSecrets, noteTokens, withoutSecrets } from "./known-secrets.ts";
import { listen, openSocket } from "./listen.ts";
import { openLogFile, type LogFile } from "./log-file.ts";
import { databaseFile, describeDatabase, type ServeSettings } from "./settings/settings.ts";
import { changeConfigFile } from "./settings/change-config.ts";
import { howToWidenRoot } from "./settings/widen-root.ts";
import { createStartPhases, type StartPhases } from "./start-phases.ts";
import { openAgentTools } from "./tools/agent-tools.ts";
import { neutraliseLine } from "./terminal/neutralise.ts";
import { VERSION } from "./version.ts";

export interface Server {
  readonly url: string;
  /** The address of the page for a person at a terminal, which signs in one browser. */
  signInAddress(): string;
  /** How agents are started, for the greeting. */
  readonly sandbox: string;
  /** Resolves when everything is closed and the data folder free. `keepsAgents`: they go on without the server. */
  stop(options?: { readonly keepsAgents?: boolean }): Promise<void>;
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
  let keepsAgents = false;
  try {
    const secrets = knownSecrets(settings);
    const { logger, close } = openLogFile(settings.dataFolder, {
      level: settings.logLevel,
      redact: secrets.redactor.line,
    });
    closers.push(close);
    const phases = createStartPhases({
      print: (line) => {
        logger.warn(line);
        process.stderr.write(`holdfast: ${line}\n`);
      },
    });
    const store = await phases.run(openingText(settings.database), () =>
      openDatabase(settings, logger, failpoint),
    );
    closers.push(store.close);
    const token = serverToken(settings, logger);
    if (token !== null) secrets.keep([token]);
    const agentTokens = createAgentTokens(
      settings.agentHost.isOutside ? toolKeyIn(settings.dataFolder) : undefined,
    );
    const tools = openAgentTools(agentTokens);
    // Loads the HTTP layer while the sandbox is tested and the writer thread starts.
    const [sandbox, { buildApp }] = await phases.run(
      "testing the sandbox (a few minutes at most)",
      () => Promise.all([openSandboxOf(settings), import("../http/build-app.ts")]),
    );
    logSandbox(sandbox, logger);
    const watch = watchForDamage(settings.database, logger);
    closers.push(watch.stop);
    const node = randomUUID();
    const host = await openHostOf(settings, logger);
    closers.push(async () => host?.close({ agents: keepsAgents ? "go-on" : "end" }));
    const forAgents = { toolsFor: tools.toolsFor, sandbox, secrets, ...defined({ host }) };
    const open = await startRuntime(settings, {
      store,
      node,
      logger,
      failpoint,
      forAgents,
      watch,
      phases,
    });
    const stop = (): Promise<void> => open.stop({ deadlineMs: STOP_WITHIN_MS, keepsAgents });
    closers.push(stop);
    const { reason } = await open.runtime.readiness();
    if (reason !== null) process.stderr.write(`holdfast: ${neutraliseLine(reason)}\n`);
    closers.push(startJobs(settings, store, logger, open, watch));
    const startedAt = new Date();
    const tokens = openAccessTokens({ store, clock: Date.now, newId });
    const signInCodes = createSignInCodes();
    let reachableAt = "";
    const app = await buildApp({
      runtime: withoutSecrets(open.runtime, secrets, agentTokens),
      version: VERSION,
      startedAt,
      token,
      tokens: noteTokens(tokens, secrets),
      browsers: openBrowsers({ store, tokens, clock: Date.now, newId }),
      signInCodes,
      agentTokens,
      // Loaded with the first call, because few servers need it at their start.
      answerMcp: async (request) => (await import("./tools/tool-endpoint.ts")).answerMcp(request),
      editorDoor: openEditorDoor({
        address: () => reachableAt,
        dataFolder: settings.dataFolder,
        logger,
      }),
      mcpDoor: openMcpDoor({
        address: () => reachableAt,
        dataFolder: settings.dataFolder,
        logger,
      }),
      limits: settings.limits,
      sandbox: () => sandbox.state,
      agentHost: () => hostState(host),
      webFolder: existsSync(WEB_FOLDER) ? WEB_FOLDER : null,
      logger,
    });
    // Clients see how the sessions end before their connections are closed.
    closers.push(
      () => app.close(),
      stop,
      async () => tools.reachableAt(null),
    );
    const database = (await identifyDatabase(settings.database)) ?? undefined;
    const url = await listen(app, settings, host === undefined ? null : settings.dataFolder);
    reachableAt = url;
    closers.push(await openSocket(app, settings, logger));
    tools.reachableAt(url);
    lock.announce({
      url,
      pid: process.pid,
      startedAt: startedAt.toISOString(),
      version: VERSION,
      node,
      database,
      databaseName: describeDatabase(settings.database),
      workspaceRoot: settings.workspaceRoot,
      processStart: processStart(process.pid) ?? undefined,
    });
    logger.info({ url, version: VERSION, pid: process.pid }, "ready");
    const described = await phases.run("testing how agents can be kept together", () =>
      describeSandbox(sandbox),
    );
    let stopping: Promise<void> | null = null;
    return {
      url,
      signInAddress: () =>
        token === null ? `${url}/` : signInAddress(localUrl(url), signInCodes.create()),
      sandbox: described,
      stop: (options = {}) => {
        keepsAgents = options.keepsAgents ?? false;
        return (stopping ??= closeAll(closers));
      },
    };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
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
      leavesMarks: false,
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
    const help = isDiskFull(error) ? ". Free some space, then start the server again." : "";
    throw new CommandFailure(`${describeDatabase(database)}: ${error.message}${help}`, undefined, {
      cause: error,
    });
  }
}

interface RuntimeParts extends Required<ServerOptions> {
  readonly store: Store;
  readonly node: string;
  readonly logger: Logger;
  readonly watch: DamageWatch;
  readonly phases: StartPhases;
  readonly forAgents: Required<Pick<CatalogOptions, "toolsFor" | "sandbox" | "secrets">> &
    Pick<CatalogOptions, "host">;
}

async function startRuntime(
  settings: ServeSettings,
  { store, node, logger, failpoint, forAgents, watch, phases }: RuntimeParts,
): Promise<OpenRuntime> {
  const owner = ownerOf(settings.dataFolder);
  const { killed } = await phases.run(
    "ending agent processes of an earlier server (5 s at most)",
    async () => {
      const alive = forAgents.host?.found.filter(({ isAlive }) => isAlive) ?? [];
      const kept = alive.map(({ history }) => history.head.about.marker.agent);
      const swept = await sweepAgents({ owner, except: kept });
      await sweepControlGroups(owner, kept);
      return swept;
    },
  );
  if (killed.length > 0)
    logger.warn({ pids: killed }, "ended agent processes that an earlier server had left");
  const root = await openWorkspaceRoot(settings.workspaceRoot, {
    howToWiden: howToWidenRoot,
    onViolation: (violation) =>
      logger.warn({ security: "workspace", ...violation }, "a path outside the workspace root"),
  });
  // Only a shared database keeps leases of other nodes.
  const isShared = databaseFile(settings.database) === null;
  const formerNode = isShared ? recordNode(settings.dataFolder, node) : null;
  const runtimeOptions = {
    store,
    node,
    formerNode,
    found: foundIn(forAgents.host),
    onLease: (ms: number) => forAgents.host?.keepFor(ms),
    catalog: catalogOf(settings, {
      ...forAgents,
      onLeftovers: ({ left }) => logger.error({ pids: left }, "agent processes would not end"),
    }),
    repositories: createRepositories({
      store,
      root,
      newId,
      clock: Date.now,
      findRefusedOwner: (folder) => findRefusedOwner(folder, settings.gitOwners, process.env),
    }),
    limits: settings.limits,
    member: settings.member,
    version: VERSION,
    continueInterrupted: settings.continueInterrupted,
    permissions: settings.permissions,
    mcpVariables: settings.mcpVariables,
    resumePolicy: settings.resume,
    clock: Date.now,
    newId,
    log: logger,
    failpoint,
    damageWatch: watch,
    git: createFolderGit(gitOptions(settings, forAgents.sandbox)),
    worktrees: worktreesOf(settings, async () => root, forAgents),
    keep: keepOf(settings, forAgents.sandbox),
    keepDefaultProvider: (defaultProvider: string) =>
      void changeConfigFile(settings.dataFolder, { defaultProvider }),
    spoolFolder: bundlesIn(settings.dataFolder),
    removed: { folder: bundlesIn(settings.dataFolder), keptMs: settings.retention.bundleMs },
    forgetSession: (sessionId: string) =>
      removeJournal(journalFolder(settings.dataFolder), sessionId),
  };
  return phases.run("taking the database and making sessions active again, in batches of 64", () =>
    openRuntime(runtimeOptions),
  );
}

/** The log of a killed server is read back while the database is opened, which takes time in proportion to its size. */
function openingText(database: ServeSettings["database"]): string {
  const file = databaseFile(database);
  const bytes = file === null ? 0 : (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const log = bytes === 0 ? "" : `, with a write-ahead log of ${Math.ceil(bytes / 1e6)} MB`;
  return `opening and migrating the database${log}`;
}

/** Starts the background jobs; returns a function that stops them. */
function startJobs(
  { dataFolder, retention }: ServeSettings,
  store: Store,
  logger: Logger,
  open: OpenRuntime,
  watch: DamageWatch,
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
    // A damaged file is evidence, and the rest of it may be needed to repair it.
    isOurs: () => open.isEldest() && watch.damage.length === 0,
    forgetSession: open.forgetSession,
    log: logger,
  });
  return () => Promise.all([rowCheck.stop(), cleaning.stop()]);
}

function watchForDamage(database: ServeSettings["database"], logger: Logger): DamageWatch {
  return startDamageWatch({
    findDamage: (slowly) => findDatabaseDamage(database, { slowly }),
    log: logger,
    onDamage: (damage) => {
      logger.error({ damage }, "the database is damaged; nothing is removed automatically");
      process.stderr.write(`holdfast: ${neutraliseLine(damageText(database, damage))}\n`);
    },
  });
}

function logSandbox({ state, madeWith, network }: Sandbox, logger: Logger): void {
  if (network?.kind === "shared")
    logger.warn(
      { madeWith, why: network.why },
      "agents are started in a sandbox that shares the network",
    );
  else if (state.active)
    logger.info({ madeWith, network: network?.kind }, "agents are started in a sandbox");
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
