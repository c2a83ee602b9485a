import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfigFile } from "./config-file.ts";
import { CommandFailure } from "../exit.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-config-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const NOTHING = {
  agents: new Map(),
  models: new Map(),
  defaultProvider: null,
  workspaceRoot: null,
  auth: "token",
  sandbox: "auto",
  agentHost: {},
  mcpVariables: [],
  worktrees: {},
  permissions: null,
  limits: {},
  node: {},
  retention: {},
  resume: {},
};

describe("the config file", () => {
  it("may be missing or empty", () => {
    expect(readConfigFile(folder)).toEqual(NOTHING);
    for (const text of ["{}", "\uFEFF{}\n", '{ "sandbox": "auto" }']) {
      write(text);
      expect(readConfigFile(folder)).toEqual(NOTHING);
    }
    write('{ "sandbox": "required" }');
    expect(readConfigFile(folder)).toEqual({ ...NOTHING, sandbox: "required" });
  });

  it("with empty permissions still has a policy", () => {
    const permissions = { rules: [], phases: {} };
    for (const text of ['{"permissions": {}}', '{"permissions": {"rules": [], "phases": {}}}']) {
      write(text);
      expect(readConfigFile(folder)).toEqual({ ...NOTHING, permissions });
    }
  });

  it("is read completely", () => {
    write(
      JSON.stringify({
        providers: {
          gemini: {
            type: "acp",
            command: ["gemini", "--acp"],
            env: { GEMINI_API_KEY: "key" },
            mode: "default",
            models: ["one"],
          },
          mine: {
            type: "acp",
            title: "Mine",
            command: ["node", "agent.mjs", "--root", "{workspace}"],
            env: {},
            passEnv: ["MINE_KEY"],
            mode: null,
            mounts: ["~/.mine"],
            network: { hosts: ["*.example.com:443"], local: ["localhost:11434"] },
          },
          local: {
            type: "model",
            title: "Local",
            api: "openai-compatible",
            baseUrl: "http://127.0.0.1:11434/v1",
            model: "small",
            models: ["large"],
            apiKeyEnv: "LOCAL_KEY",
            maxTokens: 1_000,
            system: "Be brief.",
            contextTokens: 8_000,
          },
        },
        defaultProvider: "mine",
        workspaceRoot: "~/projects",
        auth: "none",
        sandbox: "off",
        permissions: {
          rules: [
            { kind: "read", decision: "allow" },
            { kind: "execute", command: "rm *", decision: "deny" },
            { path: "./src/**", tool: "Write", decision: "ask" },
          ],
          phases: { planning: [{ kind: "edit", decision: "deny" }] },
        },
        limits: { liveAgents: 2, queue: 10, retries: 0, idleMinutes: 0.5, silentMinutes: 3 },
        node: { name: "one", labels: ["gpu"], leaseSeconds: 2.5, drainSeconds: 0 },
        retention: {
          errorHours: 1,
          suspendedDays: 2,
          resumableDays: 3,
          bundleDays: 4,
          autoArchiveDays: null,
        },
        resume: { timeoutMinutes: 0.5, maxErrors: 5, require: ["workspace", "lease"] },
      }),
    );
    expect(readConfigFile(folder)).toEqual({
      agents: new Map([
        [
          "gemini",
          {
            command: ["gemini", "--acp"],
            env: { GEMINI_API_KEY: "key" },
            mode: "default",
            models: ["one"],
          },
        ],
        [
          "mine",
          {
            title: "Mine",
            command: ["node", "agent.mjs", "--root", "{workspace}"],
            env: {},
            passEnv: ["MINE_KEY"],
            mode: null,
            mounts: ["~/.mine"],
            network: { hosts: ["*.example.com:443"], local: ["localhost:11434"] },
          },
        ],
      ]),
      models: new Map([
        [
          "local",
          {
            title: "Local",
            api: "openai-compatible",
            baseUrl: "http://127.0.0.1:11434/v1",
            model: "small",
            models: ["large"],
            apiKeyEnv: "LOCAL_KEY",
            maxTokens: 1_000,
            system: "Be brief.",
            contextTokens: 8_000,
          },
        ],
      ]),
      defaultProvider: "mine",
      workspaceRoot: "~/projects",
      auth: "none",
      agentHost: {},
      mcpVariables: [],
      worktrees: {},
      sandbox: "off",
      permissions: {
        rules: [
          { kind: "read", decision: "allow" },
          { kind: "execute", command: "rm *", decision: "deny" },
          { path: "./src/**", tool: "Write", decision: "ask" },
        ],
        phases: { planning: [{ kind: "edit", decision: "deny" }] },
      },
      limits: { liveAgents: 2, queue: 10, retries: 0, idleMinutes: 0.5, silentMinutes: 3 },
      node: { name: "one", labels: ["gpu"], leaseSeconds: 2.5, drainSeconds: 0 },
      retention: {
        errorHours: 1,
        suspendedDays: 2,
        resumableDays: 3,
        bundleDays: 4,
        autoArchiveDays: null,
      },
      resume: { timeoutMinutes: 0.5, maxErrors: 5, require: ["workspace", "lease"] },
    });
  });
});

describe("a bad config file is refused with line, field and reason", () => {
  it.each([
    ["[]", "line 1: the file: must be an object."],
    ['{\n"limits": 5\n}', "line 2: limits: must be an object."],
    [
      '{\n"limits": {\n"liveAgent": 5\n}\n}',
      'line 3: limits.liveAgent: there is no such setting; did you mean "liveAgents"?',
    ],
    ['{\n"zzz": 5}', "line 2: zzz: there is no such setting."],
    [
      '{\n"Providers": {}}',
      'line 2: Providers: there is no such setting; did you mean "providers"?',
    ],
    ['{"limits": {\n"liveAgents": 0}}', "line 2: limits.liveAgents: must be at least 1."],
    ['{"limits": {\n"liveAgents": 5000}}', "line 2: limits.liveAgents: must be at most 1000."],
    ['{"limits": {\n"liveAgents": 1.5}}', "line 2: limits.liveAgents: must be a whole number."],
    ['{"limits": {\n"liveAgents": "5"}}', "line 2: limits.liveAgents: must be a number."],
    ['{"limits": {\n"idleMinutes": 0}}', "line 2: limits.idleMinutes: must be more than 0."],
    [
      '{"limits": {\n"silentMinutes": 99999}}',
      "line 2: limits.silentMinutes: must be at most two weeks.",
    ],
    ['{"limits": {\n"clusterAgents": 0}}', "line 2: limits.clusterAgents: must be at least 1."],
    ['{\n"node": "one"}', "line 2: node: must be an object."],
    [
      '{"node": {\n"label": ["gpu"]}}',
      'line 2: node.label: there is no such setting; did you mean "labels"?',
    ],
    [
      '{"node": {\n"name": "node one"}}',
      "line 2: node.name: must be 1 to 100 printable characters without spaces and commas.",
    ],
    ['{"node": {\n"labels": "gpu"}}', "line 2: node.labels: must be a list."],
    [
      '{"node": {"labels": ["gpu",\n"a,b"]}}',
      "line 2: node.labels.1: must be 1 to 100 printable characters without spaces and commas.",
    ],
    ['{"node": {\n"leaseSeconds": 0.5}}', "line 2: node.leaseSeconds: must be at least 1."],
    ['{"node": {\n"drainSeconds": 3601}}', "line 2: node.drainSeconds: must be at most 3600."],
    [
      '{"resume": {\n"continueInterrupted": 1.5}}',
      "line 2: resume.continueInterrupted: must be a whole number.",
    ],
    [
      '{"retention": {\n"errorHour": 3}}',
      'line 2: retention.errorHour: there is no such setting; did you mean "errorHours"?',
    ],
    [
      '{"resume": {\n"timeoutMinute": 3}}',
      'line 2: resume.timeoutMinute: there is no such setting; did you mean "timeoutMinutes"?',
    ],
    ['{"resume": {\n"timeoutMinutes": 0}}', "line 2: resume.timeoutMinutes: must be more than 0."],
    ['{"resume": {\n"maxErrors": 0}}', "line 2: resume.maxErrors: must be at least 1."],
    [
      '{"resume": {"require": ["lease",\n"weather"]}}',
      'line 2: resume.require.1: must be "workspace" or "provider" or "lease" or "budget".',
    ],
    ['{\n"sandbox": "on"}', 'line 2: sandbox: must be "auto" or "required" or "off".'],
    [
      '{"providers": {"gemini": {"type": "acp",\n"mounts": ["/ok", "mine"]}}}',
      'line 2: providers.gemini.mounts.1: must begin with "/", "~/" or the name of a variable, such as "$HOME/".',
    ],
    [
      '{"providers": {"gemini": {"type": "acp",\n"network": "closed"}}}',
      'line 2: providers.gemini.network: must be "open", "off", "shared" or an object.',
    ],
    [
      '{"providers": {"gemini": {"type": "acp", "network": {\n"host": ["a.com"]}}}}',
      'line 2: providers.gemini.network.host: there is no such setting; did you mean "hosts"?',
    ],
    [
      '{"providers": {"gemini": {"type": "acp", "network": {"hosts": ["a.com",\n"https://b.com"]}}}}',
      'line 2: providers.gemini.network.hosts.1: must be a host such as "api.example.com", "*.example.com:443" or "[2001:db8::1]:443", without a protocol or a path.',
    ],
    [
      '{"providers": {"gemini": {"type": "acp", "network": {\n"local": ["localhost"]}}}}',
      'line 2: providers.gemini.network.local.0: must be a host and a port, such as "localhost:11434".',
    ],
    [
      '{"permissions": {"rules": [\n{"kind": "read",\n"decision": "yes"}]}}',
      'line 3: permissions.rules.0.decision: must be "allow" or "ask" or "deny".',
    ],
    [
      '{"permissions": {"rules": [\n{"comand": "ls", "decision": "deny"}]}}',
      'line 2: permissions.rules.0.comand: there is no such setting; did you mean "command"?',
    ],
    [
      '{"permissions": {"rules": [\n{"path": "../x", "decision": "deny"}]}}',
      'line 2: permissions.rules.0.path: must not lead through ".." or ".".',
    ],
    [
      '{"permissions": {"rules": [\n{"kind": "", "decision": "deny"}]}}',
      "line 2: permissions.rules.0.kind: must not be empty.",
    ],
    [
      '{"permissions": {\n"phase": {}}}',
      'line 2: permissions.phase: there is no such setting; did you mean "phases"?',
    ],
    [
      '{"permissions": {"phases": {\n"plannin": []}}}',
      'line 2: permissions.phases.plannin: there is no such setting; did you mean "planning"?',
    ],
    [
      '{"providers": {\n"local": {"type": "model", "api": "openai-compatible", "model": "m"}}}',
      'line 2: providers.local: an API that is "openai-compatible" needs a "baseUrl".',
    ],
    [
      '{"providers": {\n"codex": {"type": "model", "api": "openai", "model": "m"}}}',
      "line 2: providers.codex: the name is that of a built-in agent; a model needs one of its own.",
    ],
    [
      '{"providers": {\n"x": {"type": "model", "model": "m",\n"api": "other"}}}',
      'line 3: providers.x.api: must be "anthropic" or "openai" or "google" or "openai-compatible".',
    ],
    [
      '{"providers": {\n"x": {"type": "model", "api": "openai"}}}',
      "line 2: providers.x.model: must be a text.",
    ],
    [
      '{"providers": {\n"x": {"type": "model", "api": "openai", "model": "m",\n"baseUrl": "ftp://x"}}}',
      "line 3: providers.x.baseUrl: must be an http or https URL.",
    ],
    [
      '{"providers": {\n"x": {"type": "model", "api": "openai", "model": "m",\n"apiKey": "sk-1"}}}',
      "line 3: providers.x.apiKey: there is no such setting.",
    ],
    [
      '{"providers": {\n"x": {"type": "model", "api": "openai", "model": "m",\n"contextTokens": 10}}}',
      "line 3: providers.x.contextTokens: must be at least 1000.",
    ],
    ['{"providers": {\n"x": {}}}', 'line 2: providers.x.type: must be "acp" or "model".'],
    [
      '{"providers": {\n"x": {\n"type": "mcp"}}}',
      'line 3: providers.x.type: must be "acp" or "model".',
    ],
    [
      '{"providers": {\n"mine": {"type": "acp"}}}',
      'line 2: providers.mine: an agent that is not built in needs a "command".',
    ],
    [
      '{"providers": {\n"gemini": {"type": "acp",\n"comand": ["x"]}}}',
      'line 3: providers.gemini.comand: there is no such setting; did you mean "command"?',
    ],
    [
      '{"providers": {\n"demo": {"type": "acp", "command": ["x"]}}}',
      "line 2: providers.demo: the demo agent cannot be configured.",
    ],
    [
      '{"providers": {\n"My Agent": {"type": "acp", "command": ["x"]}}}',
      "line 2: providers.My Agent: a provider's name begins with a letter and has small letters, digits and dashes.",
    ],
    [
      '{\n"defaultProvider": "gemni"}',
      'line 2: defaultProvider: there is no such provider; did you mean "gemini"?',
    ],
    ["{\n  nothing\n}", "line 2: not valid JSON."],
  ])("%s", (text, complaint) => {
    write(text);
    expect(refusal()).toEqual({ message: `${file()}, ${complaint}`, exitCode: 64 });
  });

  it("without ever repeating a secret", () => {
    for (const text of [
      '{"providers": {"gemini": {"type": "acp", "env": {"KEY": sk-secret}}}}',
      '{"providers": {"gemini": {"type": "acp", "env": {"KEY": "sk-secret}}}}',
      '{"providers": {"gemini": {"type": "acp", "env": {"KEY": ["sk-secret"]}}}}',
      '{"providers": {"gemini": {"type": "acp", "env": {"BAD-KEY": "sk-secret"}}}}',
      '{"providers": {"gemini": {"type": "acp", "env": "sk-secret"}}}',
      '{"providers": {"gemini": {"type": "sk-secret"}}}',
    ]) {
      write(text);
      expect(refusal().message).not.toContain("secret");
    }
  });

  it("with all errors at once", () => {
    write('{\n"a": 1,\n"limits": {"queue": 0}\n}');
    expect(refusal().message.split("\n")).toEqual([
      expect.stringContaining("line 3: limits.queue: must be at least 1."),
      expect.stringContaining("line 2: a: there is no such setting."),
    ]);
  });

  it("also when it cannot be read", () => {
    mkdirSync(file());
    expect(refusal().message).toMatch(/^Cannot read .*holdfast\.config\.json: /u);
  });

  it("also when it is too large", () => {
    write(" ".repeat(1024 * 1024 + 1));
    expect(refusal().message).toMatch(/is larger than 1 MiB\.$/u);
  });
});

it("a data folder that is not a folder has no config file; its creation reports the error", () => {
  const notAFolder = path.join(folder, "file");
  writeFileSync(notAFolder, "");
  expect(readConfigFile(notAFolder)).toEqual(NOTHING);
});

function file(): string {
  return path.join(folder, "holdfast.config.json");
}

function write(text: string): void {
  writeFileSync(file(), text);
}

function refusal(): { readonly message: string; readonly exitCode: number } {
  try {
    readConfigFile(folder);
  } catch (error) {
    if (error instanceof CommandFailure) {
      const { message, exitCode } = error;
      return { message, exitCode };
    }
    throw error;
  }
  throw new Error("the file was taken");
}
