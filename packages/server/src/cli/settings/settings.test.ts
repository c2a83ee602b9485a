import { FOLDER_SETTINGS } from "../../runtime/folders/folder-settings.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { RETENTION_POLICY } from "../../domain/retention.ts";
import { LIMITS } from "../../runtime/context.ts";
import { dataSettings, serveSettings, type Environment, type ServeSettings } from "./settings.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-settings-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the settings of a server", () => {
  it("have defaults", () => {
    const { agents, ...settings } = read();
    expect(settings).toEqual({
      dataFolder: folder,
      agentHost: { isOutside: true, unattendedMs: 120_000 },
      database: { engine: "sqlite", file: path.join(folder, "holdfast.db") },
      databaseFrom: "default",
      host: "127.0.0.1",
      port: 4664,
      token: null,
      workspaceRoot: process.cwd(),
      models: [],
      defaultProvider: null,
      gitOwners: [],
      auth: "token",
      sandbox: "auto",
      permissions: null,
      limits: LIMITS,
      member: { name: hostname(), labels: [], leaseMs: 10_000, drainMs: 3_000 },
      continueInterrupted: 0,
      retention: { policy: RETENTION_POLICY, bundleMs: 30 * 86_400_000 },
      resume: { inactiveMs: 1_800_000, maxErrors: 3, require: [] },
      mcpVariables: [],
      worktrees: { folder: "data", ...FOLDER_SETTINGS, repositories: new Map() },
      logLevel: "info",
    });
    expect(agents.map(({ name }) => name)).toContain("gemini");
  });

  it("prefer the database of a flag to the environment, and ignore the direct URL then", () => {
    const [mine, theirs] = ["postgres://h/mine", "postgres://h/theirs"];
    const environment = {
      HOLDFAST_DATABASE_URL: theirs,
      HOLDFAST_DATABASE_DIRECT_URL: "postgres://direct/theirs",
    };
    const named = (database?: string) => {
      const flags = database === undefined ? {} : { database };
      const settings = dataSettings({ data: folder, ...flags }, environment);
      return [settings.databaseFrom, settings.database];
    };
    const direct = { engine: "postgres", url: theirs, directUrl: "postgres://direct/theirs" };
    expect(named(mine)).toEqual(["flag", { engine: "postgres", url: mine }]);
    expect(named(theirs)).toEqual(["flag", direct]);
    expect(named()).toEqual(["environment", direct]);
  });

  it("come from the config file", () => {
    writeConfig({
      providers: { gemini: { type: "acp", env: { GEMINI_API_KEY: "key" } } },
      defaultProvider: "gemini",
      limits: {
        liveAgents: 2,
        clusterAgents: 20,
        queue: 7,
        retries: 1,
        idleMinutes: 0.5,
        silentMinutes: 4,
        outputKiB: 1_024,
        rateLimitMinutes: 60,
        permissionMinutes: 2,
        briefingTokens: 1_000,
        briefingMessages: 20,
      },
      retention: {
        errorHours: 1,
        suspendedDays: 2,
        resumableDays: 3,
        bundleDays: 4,
        autoArchiveDays: 5,
      },
    });
    const settings = read();
    expect(settings.defaultProvider).toBe("gemini");
    expect(settings.agents.find(({ name }) => name === "gemini")?.env).toEqual({
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_PTY_INFO: "child_process",
      GEMINI_API_KEY: "key",
    });
    expect(settings.limits).toEqual({
      ...LIMITS,
      liveAgents: 2,
      clusterAgents: 20,
      queue: 7,
      retries: 1,
      idleMs: 30_000,
      silentMs: 240_000,
      outputKiB: 1_024,
      rateLimitMs: 3_600_000,
      permissionMs: 120_000,
      briefingTokens: 1_000,
      briefingMessages: 20,
    });
    const day = 86_400_000;
    expect(settings.retention).toEqual({
      policy: {
        errorMs: 3_600_000,
        suspendedMs: 2 * day,
        resumableMs: 3 * day,
        autoArchiveMs: 5 * day,
      },
      bundleMs: 4 * day,
    });
  });

  it("choose the version of the protocol for each provider, by default 1", () => {
    writeConfig({ providers: { codex: { type: "acp", protocol: "auto" } } });
    const versions = new Map(read().agents.map(({ name, protocol }) => [name, protocol]));
    expect([versions.get("codex"), versions.get("claude")]).toEqual(["auto", 1]);
    writeConfig({ providers: { codex: { type: "acp", protocol: 3 } } });
    expect(() => read()).toThrow('providers.codex.protocol: must be 1 or 2 or "auto"');
  });

  it("take the resume policy from the config file, else the default (B3)", () => {
    writeConfig({ resume: { timeoutMinutes: 1.5, require: ["budget"] } });
    expect(read().resume).toEqual({ inactiveMs: 90_000, maxErrors: 3, require: ["budget"] });
    writeConfig({ resume: { maxErrors: 1 } });
    expect(read().resume).toEqual({ inactiveMs: 1_800_000, maxErrors: 1, require: [] });
  });

  it("never continue interrupted runs unless the config file says so", () => {
    writeConfig({ resume: { continueInterrupted: 2 } });
    expect(read()).toMatchObject({ continueInterrupted: 2, resume: { maxErrors: 3 } });
  });

  it("take the properties of the node from the environment, else from the config file", () => {
    writeConfig({
      node: { name: "one", labels: ["gpu", "big", "gpu"], leaseSeconds: 2.5, drainSeconds: 60 },
    });
    const member = { name: "one", labels: ["gpu", "big"], leaseMs: 2_500, drainMs: 60_000 };
    expect(read().member).toEqual(member);
    const empty = { HOLDFAST_NODE_NAME: "", HOLDFAST_NODE_LABELS: "", HOLDFAST_LEASE_MS: "" };
    expect(read(empty).member).toEqual(member);
    const environment = {
      HOLDFAST_NODE_NAME: "node-2.example",
      HOLDFAST_NODE_LABELS: "eu, arm64,eu",
      HOLDFAST_LEASE_MS: "5000",
    };
    expect(read(environment).member).toEqual({
      name: "node-2.example",
      labels: ["eu", "arm64"],
      leaseMs: 5_000,
      drainMs: 60_000,
    });
  });

  it("name other users in whose repositories Git may work", () => {
    expect(read({ HOLDFAST_GIT_OWNERS: "any" }).gitOwners).toBe("any");
    expect(read({ HOLDFAST_GIT_OWNERS: "1000, 1001" }).gitOwners).toEqual([1000, 1001]);
  });

  it("include a direct URL that bypasses a pooler of PostgreSQL", () => {
    const url = "postgres://user@pooler/holdfast";
    const directUrl = "postgresql://user@host/holdfast";
    const environment = { HOLDFAST_DATABASE_URL: url, HOLDFAST_DATABASE_DIRECT_URL: directUrl };
    expect(read(environment).database).toEqual({ engine: "postgres", url, directUrl });
    expect(read({ HOLDFAST_DATABASE_URL: url }).database).toEqual({ engine: "postgres", url });
    const file = path.join(folder, "other.db");
    expect(read({ ...environment, HOLDFAST_DATABASE_URL: file }).database).toEqual({
      engine: "sqlite",
      file,
    });
  });

  it("prefer the environment to the config file (A11, A12)", () => {
    writeConfig({ limits: { liveAgents: 2, idleMinutes: 10 } });
    const { limits } = read({ AGENT_MAX_SESSIONS: "9", AGENT_SESSION_IDLE_TIMEOUT: "0.25" });
    expect(limits).toEqual({ ...LIMITS, liveAgents: 9, idleMs: 15_000 });
    expect(read({ AGENT_MAX_SESSIONS: "", AGENT_SESSION_IDLE_TIMEOUT: "" }).limits).toEqual({
      ...LIMITS,
      liveAgents: 2,
      idleMs: 600_000,
    });
  });

  it.each([
    [
      { AGENT_MAX_SESSIONS: "0" },
      'AGENT_MAX_SESSIONS must be a whole number from 1 to 1000, not "0".',
    ],
    [{ AGENT_MAX_SESSIONS: "five" }, /^AGENT_MAX_SESSIONS must be .* not "five"\.$/u],
    [{ AGENT_MAX_SESSIONS: "2000" }, /^AGENT_MAX_SESSIONS must be/u],
    [{ AGENT_SESSION_IDLE_TIMEOUT: "0" }, /^AGENT_SESSION_IDLE_TIMEOUT must be .* above 0/u],
    [{ AGENT_SESSION_IDLE_TIMEOUT: "-1" }, /^AGENT_SESSION_IDLE_TIMEOUT must be/u],
    [{ AGENT_SESSION_IDLE_TIMEOUT: "1e9" }, /^AGENT_SESSION_IDLE_TIMEOUT must be/u],
    [
      { HOLDFAST_NODE_NAME: "node one" },
      'HOLDFAST_NODE_NAME must be 1 to 100 printable characters without spaces and commas, not "node one".',
    ],
    [
      { HOLDFAST_NODE_LABELS: "gpu,,big" },
      'HOLDFAST_NODE_LABELS must be up to 32 words separated by commas, such as "gpu,big", not "gpu,,big".',
    ],
    [
      { HOLDFAST_GIT_OWNERS: "ann" },
      'HOLDFAST_GIT_OWNERS must be "any", or user IDs separated by commas, such as "1000,1001", not "ann".',
    ],
    [{ HOLDFAST_GIT_OWNERS: "1000,-1" }, /^HOLDFAST_GIT_OWNERS must be/u],
    [{ HOLDFAST_NODE_LABELS: "two words" }, /^HOLDFAST_NODE_LABELS must be .* not "two words"/u],
    [{ HOLDFAST_NODE_LABELS: "a,".repeat(32) + "a" }, /^HOLDFAST_NODE_LABELS must be up to 32/u],
    [
      { HOLDFAST_LEASE_MS: "999" },
      'HOLDFAST_LEASE_MS must be milliseconds from 1000 to 600000, not "999".',
    ],
    [{ HOLDFAST_LEASE_MS: "600001" }, /^HOLDFAST_LEASE_MS must be/u],
    [{ HOLDFAST_LEASE_MS: "1500.5" }, /^HOLDFAST_LEASE_MS must be/u],
    [{ HOLDFAST_LEASE_MS: "10s" }, /^HOLDFAST_LEASE_MS must be .* not "10s"\.$/u],
    [
      { HOLDFAST_DATABASE_DIRECT_URL: "postgres://host/holdfast" },
      "HOLDFAST_DATABASE_DIRECT_URL needs HOLDFAST_DATABASE_URL, which is not set.",
    ],
    [
      { HOLDFAST_DATABASE_URL: "postgres://a/b", HOLDFAST_DATABASE_DIRECT_URL: "host:5432" },
      "HOLDFAST_DATABASE_DIRECT_URL must be postgres://….",
    ],
    [{ HOLDFAST_LOG_LEVEL: "loud" }, /^HOLDFAST_LOG_LEVEL must be one of/u],
    [{ AGENT_WORKSPACE_ROOT: "/not/there" }, /^The workspace root \/not\/there is not a folder/u],
  ])("are refused when they are bad (%o)", (environment, message) => {
    expect(() => read(environment)).toThrow(message);
  });
});

function read(environment: Environment = {}): ServeSettings {
  return serveSettings({ data: folder }, environment);
}

function writeConfig(config: object): void {
  writeFileSync(path.join(folder, "holdfast.config.json"), JSON.stringify(config));
}

it("D7 worktrees of a repository have the common settings and their own", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const worktrees = {
    folder: "beside",
    copy: [".env"],
    repositories: { shop: { workspace: "worktree", setup: "make", setupMinutes: 1 } },
  };
  writeFileSync(path.join(folder, "holdfast.config.json"), JSON.stringify({ worktrees }));
  const settings = serveSettings({ data: folder, workspaceRoot: folder }, {});
  const common = { ...FOLDER_SETTINGS, copy: [".env"] };
  expect(settings.worktrees).toEqual({
    folder: "beside",
    ...common,
    repositories: new Map([
      ["shop", { ...common, workspace: "worktree", setup: "make", setupMs: 60_000 }],
    ]),
  });
});
