import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { openDatabase } from "../../packages/server/src/cli/gateway/open-gateway.ts";
import type { Create } from "../../packages/server/src/domain/kernel/command.ts";
import type { Phase } from "../../packages/server/src/domain/phase.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import { beginSession } from "../../packages/server/src/storage/testing/session-driver.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import {
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type ProcessResult,
} from "./holdfast-process.ts";

const BINARY = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

let folder: string;
let data: string;
let store: Store;

beforeEach(async () => {
  folder = temporaryFolder();
  data = path.join(folder, "data");
  const database = { engine: "sqlite", file: path.join(data, "holdfast.db") } as const;
  store = await openDatabase({ dataFolder: data, database }, { access: "create" });
});

afterEach(async () => {
  await store.close();
  removeFolder(folder);
});

describe("the hooks as processes", () => {
  it("answer JSON with JSON, exit with 0 for any input, and log it (B4)", async () => {
    const id = await begin({ agentName: "terraform-architect" }, "approval");
    const input = { agent_name: "terraform-architect", task: "apply it" };

    const decision = await hook("pre-delegate", JSON.stringify(input));
    expect({ ...decision, stdout: JSON.parse(decision.stdout) }).toMatchObject({
      code: 0,
      stderr: "",
      stdout: {
        should_resume: true,
        reason: "session_resumable",
        agent_id: id,
        resume_metadata: { previous_phase: "approval" },
        original_context: input,
      },
    });
    const stop = await hook("subagent-stop", JSON.stringify({ task_info: { agent_id: id } }));
    expect({ ...stop, stdout: JSON.parse(stop.stdout) }).toMatchObject({
      code: 0,
      stderr: "",
      stdout: { finalized: true, reason: "session_finalized", agent_id: id },
    });
    const invalid = await hook("pre-delegate", "what?");
    expect({ ...invalid, stdout: JSON.parse(invalid.stdout) }).toMatchObject({
      code: 0,
      stderr: "",
      stdout: { should_resume: false, reason: "invalid_json", detail: "input_not_json" },
    });
    expect(logLines().map(({ reason }) => reason)).toEqual([
      "session_resumable",
      "session_finalized",
      "input_not_json",
    ]);
  });

  it("exit by themselves if their stdin stays open (B4)", async () => {
    const { code, stdout } = await hook("pre-delegate", null);
    expect({ code, output: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      output: { should_resume: false, reason: "error", detail: "timed_out" },
    });
  });

  it("work while a server uses the same database", async () => {
    const server = await startHoldfast({ data });
    try {
      const { sessions } = createClient(server);
      const { id } = await sessions.create({ agentId: "agent-1", agentName: "planner" });
      await sessions.update(id, { phase: "planning" });
      const resumed = await hook("pre-delegate", JSON.stringify({ agent_name: "planner" }));
      expect(JSON.parse(resumed.stdout)).toMatchObject({
        should_resume: true,
        agent_id: "agent-1",
      });
      await hook("subagent-stop", JSON.stringify({ agent_id: "agent-1", outcome: "failed" }));
      expect(await sessions.get(id)).toMatchObject({ phase: "failed" });
    } finally {
      await server.end("SIGTERM");
    }
  });

  it("test themselves with --test and leave nothing behind", async () => {
    const { code, stdout } = await run([
      process.execPath,
      BINARY,
      "hook",
      "pre-delegate",
      "--test",
    ]);
    expect({ code, ticks: stdout.split("✓").length - 1 }).toEqual({ code: 0, ticks: 7 });
    expect(await store.listSessions({ limit: 1 })).toMatchObject({ total: 0 });
  });

  it("work from any folder with the installed settings", async () => {
    const id = await begin({ agentName: "Explore", agentId: "agent-2" }, "investigating");
    const project = path.join(folder, "a project's");
    mkdirSync(project);
    const install = ["hook", "install", "--project", project, "--yes", "--data", data];
    expect(await run([process.execPath, BINARY, ...install])).toMatchObject({ code: 0 });
    const settings: HookSettings = JSON.parse(
      readFileSync(path.join(project, ".claude/settings.json"), "utf8"),
    );
    const payload = { hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "Explore" };
    const started = await run(["/bin/sh", "-c", commandOf(settings, "SubagentStart")], {
      input: JSON.stringify(payload),
      env: {},
    });

    expect({ ...started, stdout: JSON.parse(started.stdout) }).toEqual({
      code: 0,
      stderr: "",
      stdout: {
        reason: "session_resumable",
        hookSpecificOutput: {
          hookEventName: "SubagentStart",
          additionalContext: expect.stringContaining("agent-2, in phase investigating"),
        },
      },
    });
    await run(["/bin/sh", "-c", commandOf(settings, "SubagentStop")], {
      input: JSON.stringify({ task_info: { agent_id: id } }),
      env: {},
    });
    expect(await store.readSession(id)).toMatchObject({ record: { phase: "completed" } });
  });
});

describe("many hooks at once", () => {
  it("all answer, and all their changes and log lines are stored (B4)", async () => {
    const COUNT = repeat({ short: 24, long: 200 });
    const AT_ONCE = repeat({ short: 12, long: 25 });
    const agents = Array.from({ length: COUNT / 2 }, (_, index) => `agent-${index}`);
    for (const agentId of agents) await begin({ agentId, agentName: agentId }, "approval");
    // The log is nearly full, so it is rotated while they run.
    const log = path.join(data, "logs", "hooks.log");
    mkdirSync(path.dirname(log), { recursive: true });
    const room = COUNT * 25;
    writeFileSync(log, `${"-".repeat(1024 * 1024 - room)}\n`);

    const calls = agents.flatMap((agent) => [
      () => hook("pre-delegate", JSON.stringify({ agent_name: agent })),
      () => hook("subagent-stop", JSON.stringify({ task_info: { agent_id: agent } })),
    ]);
    const results: ProcessResult[] = [];
    const worker = async (): Promise<void> => {
      for (let call = calls.shift(); call !== undefined; call = calls.shift())
        results.push(await call());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    const answers = results.map(({ stdout }): Answer => JSON.parse(stdout));
    expect(results.filter(({ code, stderr }) => code !== 0 || stderr !== "")).toEqual([]);
    const stopped = answers.filter((answer) => "finalized" in answer);
    expect(stopped.toSorted(byAgent)).toMatchObject(
      agents
        .map((agent_id) => ({ finalized: true, reason: "session_finalized", agent_id }))
        .toSorted(byAgent),
    );
    const unexpected = answers.filter(
      ({ reason }) =>
        !["session_finalized", "session_resumable", "no_existing_session"].includes(reason),
    );
    expect(unexpected).toEqual([]);
    const page = await store.listSessions({ phase: "completed", limit: 1 });
    expect(page.total).toBe(COUNT / 2);
    const entries = [...logLines(`${log}.1`), ...logLines(log)];
    expect(entries).toHaveLength(COUNT);
    expect(new Set(entries.map(({ pid }) => pid)).size).toBe(COUNT);
  });
});

interface Answer {
  readonly agent_id: string;
  readonly reason: string;
}

interface LogEntry {
  readonly reason: string;
  readonly pid: number;
}

interface HookSettings {
  readonly hooks: Record<string, readonly { readonly hooks: readonly { command: string }[] }[]>;
}

function commandOf({ hooks }: HookSettings, event: string): string {
  const command = hooks[event]?.[0]?.hooks[0]?.command;
  if (command === undefined) throw new Error(`no hook for ${event}`);
  return command;
}

function byAgent(left: Answer, right: Answer): number {
  return left.agent_id.localeCompare(right.agent_id);
}

function logLines(file = path.join(data, "logs", "hooks.log")): readonly LogEntry[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("-"))
    .map((line) => JSON.parse(line));
}

async function begin(fields: Partial<Create>, phase: Phase): Promise<string> {
  const session = await beginSession(store, { repoId: null, ...fields, at: Date.now() - 5_000 });
  await session.perform({ type: "update", changes: {}, phase });
  return session.id;
}

/** Null leaves stdin open. */
function hook(name: string, input: string | null): Promise<ProcessResult> {
  return run([process.execPath, BINARY, "hook", name], { input });
}

/** Runs a program in another folder, with a minimal environment. */
async function run(
  [file = "", ...args]: readonly string[],
  {
    input = "",
    env = { HOLDFAST_DATA: data },
  }: { readonly input?: string | null; readonly env?: Record<string, string> } = {},
): Promise<ProcessResult> {
  const child = spawn(file, args, { cwd: folder, env: { ...env, PATH: "/usr/bin:/bin" } });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  if (input !== null) child.stdin.end(input);
  return { code: await code, ...output };
}
