import { homedir, hostname } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defined } from "../../domain/defined.ts";
import type { PermissionPolicy } from "../../domain/policy/permission-policy.ts";
import { RETENTION_POLICY, type RetentionPolicy } from "../../domain/retention.ts";
import { RESUME_POLICY, type ResumePolicy } from "../../domain/should-resume.ts";
import type { AcpDefinition } from "../../providers/acp/definition.ts";
import { definitionsOf } from "../../providers/configured.ts";
import { defineModel, type ModelDefinition } from "../../providers/model/definition.ts";
import type { GitOwners } from "../../git/git-ownership.ts";
import type { SandboxMode } from "../../providers/sandbox/sandbox.ts";
import { MEMBER, type ClusterMember } from "../../runtime/cluster/cluster-member.ts";
import { FOLDER_SETTINGS, type FolderSettings } from "../../runtime/folders/folder-settings.ts";
import { LIMITS, type Limits } from "../../runtime/context.ts";
import type { DatabaseLocation } from "../../storage/open-store.ts";
import { readConfigFile, type ConfigFile } from "./config-file.ts";
import { MAX_NODE_LABELS, NODE_WORD } from "./config-schema.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { workspaceRootOf } from "./workspace-root.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface DataFlags {
  readonly data?: string;
  readonly database?: string;
}

export interface ServeFlags extends DataFlags {
  readonly host?: string;
  readonly port?: string;
  readonly workspaceRoot?: string;
}

export interface DataSettings {
  /** Absolute. */
  readonly dataFolder: string;
  readonly database: DatabaseLocation;
  /** The source of the database setting. */
  readonly databaseFrom: "flag" | "environment" | "default";
}

export interface ServeSettings extends DataSettings {
  readonly host: string;
  readonly port: number;
  /** Null when it is not set: a server then uses the token file of its data folder. */
  readonly token: string | null;
  readonly auth: AuthMode;
  /** An existing folder, absolute. Repositories must be inside. */
  readonly workspaceRoot: string;
  /** All agents except the demo. */
  readonly agents: readonly AcpDefinition[];
  /** Models that are called through their APIs. */
  readonly models: readonly ModelDefinition[];
  /** Null for the demo. */
  readonly defaultProvider: string | null;
  readonly sandbox: SandboxMode;
  readonly agentHost: AgentHostSettings;
  /** Other users in whose repositories Git may work. */
  readonly gitOwners: GitOwners;
  /** Variables that MCP servers of sessions may use. */
  readonly mcpVariables: readonly string[];
  readonly worktrees: WorktreeSettings;
  /** Null when the config file has no permissions. */
  readonly permissions: PermissionPolicy | null;
  readonly limits: Limits;
  /** The properties of this server as a node of a cluster. */
  readonly member: ClusterMember;
  /** How often an interrupted run is continued automatically. */
  readonly continueInterrupted: number;
  readonly retention: RetentionSettings;
  readonly resume: ResumePolicy;
  readonly logLevel: LogLevel;
}

export interface AgentHostSettings {
  /** Agents run in a process of their own, and outlive the server. */
  readonly isOutside: boolean;
  /** How long they work without a server. */
  readonly unattendedMs: number;
}

/** How sessions get their folder, unless there is something else for their repository. */
export interface WorktreeSettings extends FolderSettings {
  /** `data`: in the data folder. `beside`: beside the repository. */
  readonly folder: "data" | "beside";
  /** By the path or the name of the repository. */
  readonly repositories: ReadonlyMap<string, FolderSettings>;
}

/** `none`: every request from this machine is accepted. */
const AUTH_MODES = ["token", "none"] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface RetentionSettings {
  readonly policy: RetentionPolicy;
  /** How long the bundle of a removed session is kept. */
  readonly bundleMs: number;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = "4664";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BUNDLE_MS = 30 * DAY_MS;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/u;

/** Flags take precedence over the environment, the environment over defaults. */
export function dataSettings(flags: DataFlags, environment: Environment): DataSettings {
  const dataFolder = dataFolderOf(flags, environment);
  const configured = nonEmpty(environment["HOLDFAST_DATABASE_URL"]);
  const directUrl = nonEmpty(environment["HOLDFAST_DATABASE_DIRECT_URL"]);
  // The direct URL belongs to the database of the environment, which a flag may have replaced.
  if (flags.database !== undefined && flags.database !== configured)
    return { dataFolder, database: parseDatabase(flags.database), databaseFrom: "flag" };
  if (configured !== undefined)
    return {
      dataFolder,
      database: parseDatabase(configured, directUrl),
      databaseFrom: flags.database === undefined ? "environment" : "flag",
    };
  if (directUrl !== undefined)
    throw new CommandFailure(
      "HOLDFAST_DATABASE_DIRECT_URL needs HOLDFAST_DATABASE_URL, which is not set.",
      EXIT.usage,
    );
  return {
    dataFolder,
    database: { engine: "sqlite", file: path.join(dataFolder, "holdfast.db") },
    databaseFrom: "default",
  };
}

/** Absolute. */
export function dataFolderOf({ data }: DataFlags, environment: Environment): string {
  return path.resolve(
    data ?? nonEmpty(environment["HOLDFAST_DATA"]) ?? defaultDataFolder(environment),
  );
}

/** Order of precedence: flags, environment, config file, defaults. */
export function serveSettings(flags: ServeFlags, environment: Environment): ServeSettings {
  const host = flags.host ?? nonEmpty(environment["HOLDFAST_HOST"]) ?? DEFAULT_HOST;
  const token = nonEmpty(environment["HOLDFAST_TOKEN"]) ?? null;
  const port = parsePort(flags.port ?? nonEmpty(environment["HOLDFAST_PORT"]) ?? DEFAULT_PORT);
  const data = dataSettings(flags, environment);
  const config = readConfigFile(data.dataFolder);
  const auth = readVariable(environment, AUTH) ?? config.auth;
  if (auth === "none" && !LOOPBACK.test(host))
    throw new CommandFailure(
      `Listening on ${host} gives other machines access, which needs authentication. Remove "auth": "none", or omit --host.`,
      EXIT.usage,
    );
  return {
    ...data,
    host,
    port,
    token,
    auth,
    workspaceRoot: workspaceRootOf({
      flag: flags.workspaceRoot,
      environment,
      configured: config.workspaceRoot,
    }),
    agents: definitionsOf(config.agents),
    models: [...config.models].map(([name, model]) => defineModel(name, model)),
    defaultProvider: config.defaultProvider,
    sandbox: config.sandbox,
    agentHost: {
      isOutside: config.agentHost.host !== "inside",
      unattendedMs: (config.agentHost.unattendedSeconds ?? 120) * 1000,
    },
    gitOwners: readVariable(environment, GIT_OWNERS) ?? [],
    mcpVariables: config.mcpVariables,
    worktrees: worktreeSettings(config.worktrees),
    permissions: config.permissions,
    limits: limitsOf(config, environment),
    member: memberOf(config, environment),
    continueInterrupted: config.resume.continueInterrupted ?? 0,
    retention: retentionOf(config),
    resume: resumePolicyOf(config),
    logLevel: readVariable(environment, LOG_LEVEL) ?? "info",
  };
}

/** The file of a SQLite database; null for a database server, which other machines can share. */
export function databaseFile(database: DatabaseLocation): string | null {
  return database.engine === "sqlite" ? database.file : null;
}

/** For output: without the password of the URL. */
export function describeDatabase(database: DatabaseLocation): string {
  if (database.engine === "sqlite") return `SQLite, ${database.file}`;
  const url = new URL(database.url);
  return `PostgreSQL, ${url.host}${url.pathname}`;
}

function limitsOf({ limits, agentHost }: ConfigFile, environment: Environment): Limits {
  const { idleMinutes, silentMinutes, rateLimitMinutes, permissionMinutes, ...counts } = limits;
  const idle = readVariable(environment, IDLE_MINUTES) ?? idleMinutes;
  return {
    ...LIMITS,
    ...defined({
      ...counts,
      liveAgents: readVariable(environment, AGENT_COUNT) ?? counts.liveAgents,
      spareAgents: agentHost.spare,
      idleMs: times(idle, MINUTE_MS),
      silentMs: times(silentMinutes, MINUTE_MS),
      rateLimitMs: times(rateLimitMinutes, MINUTE_MS),
      permissionMs: times(permissionMinutes, MINUTE_MS),
    }),
  };
}

function memberOf({ node }: ConfigFile, environment: Environment): ClusterMember {
  return {
    name: readVariable(environment, NODE_NAME) ?? node.name ?? nameOfMachine(),
    labels: [...new Set(readVariable(environment, NODE_LABELS) ?? node.labels)],
    leaseMs: readVariable(environment, LEASE) ?? times(node.leaseSeconds, 1_000) ?? MEMBER.leaseMs,
    drainMs: times(node.drainSeconds, 1_000) ?? MEMBER.drainMs,
  };
}

/** The host name, unless it has characters that a node name cannot have. */
function nameOfMachine(): string {
  const name = hostname();
  return NODE_WORD.test(name) ? name : MEMBER.name;
}

function retentionOf({ retention }: ConfigFile): RetentionSettings {
  const { errorHours, suspendedDays, resumableDays, bundleDays, autoArchiveDays } = retention;
  return {
    policy: {
      ...RETENTION_POLICY,
      ...defined({
        errorMs: times(errorHours, HOUR_MS),
        suspendedMs: times(suspendedDays, DAY_MS),
        resumableMs: times(resumableDays, DAY_MS),
        autoArchiveMs: times(autoArchiveDays ?? undefined, DAY_MS),
      }),
    },
    bundleMs: times(bundleDays, DAY_MS) ?? BUNDLE_MS,
  };
}

function resumePolicyOf({ resume }: ConfigFile): ResumePolicy {
  const { timeoutMinutes, maxErrors, require } = resume;
  const inactiveMs = times(timeoutMinutes, MINUTE_MS);
  return { ...RESUME_POLICY, ...defined({ inactiveMs, maxErrors, require }) };
}

function times(amount: number | undefined, factor: number): number | undefined {
  return amount === undefined ? undefined : amount * factor;
}

interface Variable<Value> {
  readonly name: string;
  /** Completes the sentence "The variable must be …". */
  readonly rule: string;
  /** Undefined when the text breaks the rule. */
  readonly parse: (text: string) => Value | undefined;
}

const AGENT_COUNT: Variable<number> = {
  name: "AGENT_MAX_SESSIONS",
  rule: "a whole number from 1 to 1000",
  parse: (text) => numberIn(text, { form: /^\d{1,4}$/u, min: 1, max: 1_000 }),
};
const IDLE_MINUTES: Variable<number> = {
  name: "AGENT_SESSION_IDLE_TIMEOUT",
  rule: "a number of minutes above 0, at most 20160",
  parse: (text) =>
    numberIn(text, { form: /^(\d+\.?\d*|\.\d+)$/u, min: Number.MIN_VALUE, max: 20_160 }),
};
const NODE_NAME: Variable<string> = {
  name: "HOLDFAST_NODE_NAME",
  rule: "1 to 100 printable characters without spaces and commas",
  parse: (text) => (NODE_WORD.test(text) ? text : undefined),
};
const NODE_LABELS: Variable<readonly string[]> = {
  name: "HOLDFAST_NODE_LABELS",
  rule: `up to ${MAX_NODE_LABELS} words separated by commas, such as "gpu,big"`,
  parse: (text) => {
    const labels = text.split(",").map((label) => label.trim());
    const areValid = labels.every((label) => NODE_WORD.test(label));
    return areValid && labels.length <= MAX_NODE_LABELS ? labels : undefined;
  },
};
const LEASE: Variable<number> = {
  name: "HOLDFAST_LEASE_MS",
  rule: "milliseconds from 1000 to 600000",
  parse: (text) =>
    Number.isInteger(Number(text)) ? numberIn(text, { min: 1_000, max: 600_000 }) : undefined,
};
const AUTH: Variable<AuthMode> = {
  name: "HOLDFAST_AUTH",
  rule: `one of ${AUTH_MODES.join(", ")}`,
  parse: (text) => AUTH_MODES.find((mode) => mode === text),
};
const GIT_OWNERS: Variable<GitOwners> = {
  name: "HOLDFAST_GIT_OWNERS",
  rule: '"any", or user IDs separated by commas, such as "1000,1001"',
  parse: (text) => {
    if (text === "any") return "any";
    const owners = text.split(",").map((owner) => owner.trim());
    return owners.every((owner) => /^\d{1,10}$/u.test(owner)) ? owners.map(Number) : undefined;
  },
};
const LOG_LEVEL: Variable<LogLevel> = {
  name: "HOLDFAST_LOG_LEVEL",
  rule: `one of ${LOG_LEVELS.join(", ")}`,
  parse: (text) => LOG_LEVELS.find((level) => level === text),
};

function numberIn(
  text: string,
  { form = /^/u, min, max }: { form?: RegExp; min: number; max: number },
): number | undefined {
  const value = Number(text);
  return form.test(text) && value >= min && value <= max ? value : undefined;
}

/** Undefined when the variable is not set. */
function readVariable<Value>(
  environment: Environment,
  { name, rule, parse }: Variable<Value>,
): Value | undefined {
  const text = nonEmpty(environment[name]);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value !== undefined) return value;
  throw new CommandFailure(`${name} must be ${rule}, not "${text}".`, EXIT.usage);
}

function parsePort(text: string): number {
  const port = numberIn(text, { form: /^\d{1,5}$/u, min: 0, max: 65_535 });
  if (port !== undefined) return port;
  throw new CommandFailure(`The port must be a number from 0 to 65535, not "${text}".`, EXIT.usage);
}

/** `postgres://…`, or a SQLite file as a path, `file:…` or `sqlite:…`. */
export function parseDatabase(text: string, directUrl?: string): DatabaseLocation {
  if (/^postgres(ql)?:\/\//u.test(text)) {
    if (!URL.canParse(text)) throw new CommandFailure("The database URL is not valid.", EXIT.usage);
    if (directUrl === undefined) return { engine: "postgres", url: text };
    if (!/^postgres(ql)?:\/\//u.test(directUrl) || !URL.canParse(directUrl))
      throw new CommandFailure("HOLDFAST_DATABASE_DIRECT_URL must be postgres://….", EXIT.usage);
    return { engine: "postgres", url: text, directUrl };
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/u.exec(text)?.[1];
  if (scheme !== undefined && scheme !== "file" && scheme !== "sqlite") {
    throw new CommandFailure(
      `The database must be postgres://… or a SQLite file, not ${scheme}:….`,
      EXIT.usage,
    );
  }
  const file = text.startsWith("file:///")
    ? fileURLToPath(text)
    : text.replace(/^(file|sqlite):(\/\/)?/u, "");
  return { engine: "sqlite", file: path.resolve(file) };
}

function defaultDataFolder(environment: Environment): string {
  const home = nonEmpty(environment["XDG_DATA_HOME"]) ?? path.join(homedir(), ".local", "share");
  return path.join(home, "holdfast");
}

/** An empty variable counts as not set. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}

function worktreeSettings({
  folder = "data",
  repositories = {},
  ...common
}: ConfigFile["worktrees"]): WorktreeSettings {
  const settings = folderSettings(common, FOLDER_SETTINGS);
  const own = Object.entries(repositories).map(
    ([name, written]) => [name, folderSettings(written, settings)] as const,
  );
  return { folder, ...settings, repositories: new Map(own) };
}

type WrittenFolder = NonNullable<ConfigFile["worktrees"]["repositories"]>[string];

function folderSettings(written: WrittenFolder, common: FolderSettings): FolderSettings {
  const { setupMinutes, ...rest } = written;
  return {
    ...common,
    ...defined(rest),
    ...(setupMinutes !== undefined && { setupMs: setupMinutes * MINUTE_MS }),
  };
}
