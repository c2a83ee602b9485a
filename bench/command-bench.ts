import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { figuresOf, type Figures } from "./measure.ts";
import type { Row } from "./report.ts";
import { BINARY } from "./server-process.ts";

/** Goal for a command beyond Node's own start, and for a hook in total. */
const COMMAND_MS = 150;
const HOOK_MS = 250;

/** Runs commands in new processes, as a shell does, and compares them with the start of Node. */
export async function benchCommands({
  repeat,
  hasBulk,
}: {
  readonly repeat: number;
  /** Also imports and cleans up ten thousand sessions. */
  readonly hasBulk: boolean;
}): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-"));
  try {
    const run = (args: readonly string[], input = ""): Promise<number> =>
      timed([BINARY, ...args, "--data", path.join(folder, "data")], input);
    await run(["create", "--id", "agent-1", "--agent", "bench"]);
    await run(["update", "agent-1", "--phase", "approval"]);
    const commands: readonly (readonly [string, () => Promise<number>])[] = [
      ["holdfast get", () => run(["get", "agent-1"])],
      ["holdfast list", () => run(["list"])],
      ["holdfast should-resume", () => run(["should-resume", "agent-1"])],
      ["holdfast update", () => run(["update", "agent-1", "--phase", "planning"])],
      ["holdfast create", () => run(["create", "--agent", "bench"])],
    ];
    const hook = (): Promise<number> =>
      run(["hook", "pre-delegate"], `{"agent_name": "bench", "agent_id": "agent-1"}`);
    const rows: Row[] = [];
    for (const [name, work] of commands) {
      const { command, node } = await alternating(repeat, work);
      const belowMs = node.p50Ms + COMMAND_MS;
      rows.push({
        name,
        holdfast: command,
        raw: node,
        goal: { of: "p50Ms", belowMs: Math.round(belowMs) },
      });
    }
    const { command, node } = await alternating(repeat, hook);
    rows.push({
      name: "holdfast hook pre-delegate",
      holdfast: command,
      raw: node,
      goal: { of: "p50Ms", belowMs: HOOK_MS },
    });
    return hasBulk ? [...rows, ...(await benchBulk({ folder, run }))] : rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const STATES = 10_000;

async function benchBulk({
  folder,
  run,
}: {
  folder: string;
  run: (args: readonly string[]) => Promise<number>;
}): Promise<readonly Row[]> {
  const states = path.join(folder, "states");
  for (let index = 0; index < STATES; index += 1) writeState(states, index);
  const imported = figuresOf([await run(["import", states])]);
  const removed = figuresOf([await run(["cleanup", "--hours", "1"])]);
  return [
    {
      name: `import ${STATES} state.json files`,
      holdfast: imported,
      raw: null,
      goal: { of: "p50Ms", belowMs: 10_000 },
    },
    {
      name: `clean up ${STATES} sessions`,
      holdfast: removed,
      raw: null,
      goal: { of: "p50Ms", belowMs: 1_000 },
    },
  ];
}

function writeState(folder: string, index: number): void {
  const agentId = `agent-20260108-180530-${index.toString(16).padStart(8, "0")}`;
  const state = {
    agent_id: agentId,
    agent_name: `agent-${index % 7}`,
    purpose: "approval_workflow",
    created_at: "2026-01-08T18:05:30Z",
    last_updated: "2026-01-08T18:10:15Z",
    phase: "approval",
    metadata: { task_id: `T${index}`, tags: ["terraform", "infrastructure"] },
    resume_ready: true,
    history: [
      { from_phase: "initializing", to_phase: "approval", timestamp: "2026-01-08T18:10:15Z" },
    ],
    error_count: 0,
    last_error: null,
  };
  mkdirSync(path.join(folder, agentId), { recursive: true });
  writeFileSync(path.join(folder, agentId, "state.json"), JSON.stringify(state, null, 2));
}

/** Alternates between both, so that they run under the same conditions. */
async function alternating(
  repeat: number,
  work: () => Promise<number>,
): Promise<{ readonly command: Figures; readonly node: Figures }> {
  await work();
  const command: number[] = [];
  const node: number[] = [];
  for (let index = 0; index < repeat; index += 1) {
    node.push(await timed(["-e", "0"], ""));
    command.push(await work());
  }
  return { command: figuresOf(command), node: figuresOf(node) };
}

function timed(args: readonly string[], input: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [...args], { stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve(performance.now() - start));
  });
}
