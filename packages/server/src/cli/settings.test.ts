import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RETENTION_POLICY } from "../domain/retention.ts";
import { LIMITS } from "../runtime/context.ts";
import { serveSettings, type Environment, type ServeSettings } from "./settings.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-settings-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the settings of a server", () => {
  it("are usual when nobody says anything", () => {
    const { agents, ...settings } = read();
    expect(settings).toEqual({
      dataFolder: folder,
      database: { engine: "sqlite", file: path.join(folder, "holdfast.db") },
      host: "127.0.0.1",
      port: 4664,
      token: null,
      workspaceRoot: process.cwd(),
      models: [],
      defaultProvider: null,
      permissions: null,
      limits: LIMITS,
      retention: { policy: RETENTION_POLICY, bundleMs: 30 * 86_400_000 },
      logLevel: "info",
    });
    expect(agents.map(({ name }) => name)).toContain("gemini");
  });

  it("come from the config file", () => {
    writeConfig({
      providers: { gemini: { type: "acp", env: { GEMINI_API_KEY: "key" } } },
      defaultProvider: "gemini",
      limits: {
        liveAgents: 2,
        queue: 7,
        retries: 1,
        idleMinutes: 0.5,
        silentMinutes: 4,
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
      GEMINI_API_KEY: "key",
    });
    expect(settings.limits).toEqual({
      ...LIMITS,
      liveAgents: 2,
      queue: 7,
      retries: 1,
      idleMs: 30_000,
      silentMs: 240_000,
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

  it("follow the environment before the config file (A11, A12)", () => {
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
    [{ HOLDFAST_LOG_LEVEL: "loud" }, /^HOLDFAST_LOG_LEVEL must be one of/u],
    [{ AGENT_WORKSPACE_ROOT: "/not/there" }, /^The workspace root \/not\/there is not a folder/u],
  ])("are refused when they are bad (%o)", (environment, message) => {
    expect(() => read(environment)).toThrow(message);
  });
});

describe("the workspace root", () => {
  it("is the folder that is named, also when that is relative", () => {
    expect(read({ AGENT_WORKSPACE_ROOT: folder }).workspaceRoot).toBe(folder);
    const relative = path.relative(process.cwd(), folder);
    expect(read({ AGENT_WORKSPACE_ROOT: relative }).workspaceRoot).toBe(folder);
  });

  it("is where npm was called, for a server that npm started", () => {
    const started = {
      npm_lifecycle_event: "start",
      npm_package_name: "holdfast-repository",
      INIT_CWD: folder,
    };
    mkdirSync(path.join(folder, "inner"));
    expect(read(started).workspaceRoot).toBe(folder);
    expect(read({ ...started, AGENT_WORKSPACE_ROOT: "inner" }).workspaceRoot).toBe(
      path.join(folder, "inner"),
    );
    expect(read({ ...started, npm_package_name: "another" }).workspaceRoot).toBe(process.cwd());
  });
});

function read(environment: Environment = {}): ServeSettings {
  return serveSettings({ data: folder }, environment);
}

function writeConfig(config: object): void {
  writeFileSync(path.join(folder, "holdfast.config.json"), JSON.stringify(config));
}
