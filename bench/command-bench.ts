import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { figuresOf, type Figures } from "./measure.ts";
import type { Row } from "./report.ts";
import { untilSettled } from "./process-stat.ts";
import { BINARY, startServer } from "./server-process.ts";

/** Times the start of Node. */
const GET_TIMES = 2.5;
const COMMAND_TIMES = 3;

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
    const data = path.join(folder, "data");
    const run = (args: readonly string[], input = ""): Promise<number> =>
      timed([BINARY, ...args, "--data", data], input);
    await run(["create", "--id", "agent-1", "--agent", "bench"]);
    await run(["update", "agent-1", "--phase", "approval"]);
    const offline = await measureCommands(commandsOf(run), { repeat, where: "" });
    const withServer = await measureWithServer(run, { data, repeat });
    const bulk = hasBulk ? await benchBulk({ folder, run }) : [];
    return [...offline, ...withServer, ...bulk];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Run = (args: readonly string[], input?: string) => Promise<number>;

interface Command {
  readonly name: string;
  readonly timesAtMost: number;
  readonly work: () => Promise<number>;
}

const commandsOf = (run: Run): readonly Command[] => [
  { name: "get", timesAtMost: GET_TIMES, work: () => run(["get", "agent-1"]) },
  { name: "list", timesAtMost: COMMAND_TIMES, work: () => run(["list"]) },
  {
    name: "should-resume",
    timesAtMost: COMMAND_TIMES,
    work: () => run(["should-resume", "agent-1"]),
  },
  {
    name: "update",
    timesAtMost: COMMAND_TIMES,
    work: () => run(["update", "agent-1", "--phase", "planning"]),
  },
  {
    name: "create",
    timesAtMost: COMMAND_TIMES,
    work: () => run(["create", "--agent", "bench"]),
  },
  {
    name: "hook pre-delegate",
    timesAtMost: COMMAND_TIMES,
    work: () => run(["hook", "pre-delegate"], `{"agent_name": "bench", "agent_id": "agent-1"}`),
  },
];

/** The commands find the server in the data folder. */
async function measureWithServer(
  run: Run,
  { data, repeat }: { readonly data: string; readonly repeat: number },
): Promise<readonly Row[]> {
  const server = await startServer(data, {});
  try {
    await untilSettled(server.pid);
    return await measureCommands(commandsOf(run), { repeat, where: ", with a server" });
  } finally {
    await server.kill();
  }
}

async function measureCommands(
  commands: readonly Command[],
  { repeat, where }: { readonly repeat: number; readonly where: string },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, timesAtMost, work } of commands) {
    const { command, node } = await alternating(repeat, work);
    const goal = { timesAtMost };
    rows.push({ name: `holdfast ${name}${where}`, holdfast: command, raw: node, goal });
  }
  return rows;
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
    child.once("exit", (code) => {
      if (code === 0) resolve(performance.now() - start);
      else reject(new Error(`${args.join(" ")} exited with ${code}`));
    });
  });
}
