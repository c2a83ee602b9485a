import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openBenchFolder } from "../bench-folder.ts";
import { openWarmSession } from "../floor/bench-session.ts";
import { holdfastContender } from "../floor/contender.ts";
import { watchMachine, type Noise } from "../machine.ts";
import { figuresOf } from "../measure.ts";
import { untilSettled } from "../process-stat.ts";
import { copyProgram } from "../server-process.ts";
import { INITIALIZE, openSocketEditor, openStdioEditor } from "./editor.ts";
import { startPeer } from "./peer.ts";
import { INITIALIZE_MCP, measureToolCalls } from "./tool-calls.ts";
import { BETWEEN_MS, msBetween, WARM_UP, type DoorPlace, type DoorRow } from "./door.ts";

export interface DoorsComparison {
  readonly rows: readonly DoorRow[];
  readonly noise: Noise;
}

export interface DoorsBenchOptions {
  /** Starts of each program. */
  readonly starts: number;
  /** Messages, or calls of a tool, through each door. */
  readonly messages: number;
}

/** A program of ours on stdio that a client starts and waits for. */
interface StartedDoor {
  readonly command: string;
  readonly args: readonly string[];
  /** The parameters of `initialize`. */
  readonly initialize: object;
}

const START_MS = 250;
const TOKEN_TIMES = 2;
const startedDoors = ({ data }: DoorPlace): readonly StartedDoor[] => [
  { command: "holdfast acp", args: ["acp", "--data", data], initialize: INITIALIZE },
  { command: "holdfast mcp", args: ["mcp", "--data", data], initialize: INITIALIZE_MCP },
];

/** Measures the doors of one server: how fast their programs start, and how fast an answer comes through them. */
export async function benchDoors(options: DoorsBenchOptions): Promise<DoorsComparison> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  try {
    const program = copyProgram(folder.newFolder("program"));
    const own = folder.newFolder("server");
    const running = await holdfastContender({ folder: own, program }).start();
    const repository = path.join(own, "root", "repo");
    const place = { program, data: path.join(own, "data"), repository, running };
    try {
      await untilSettled(running.pid);
      await machine.sample();
      const starts = [];
      for (const door of startedDoors(place))
        starts.push(await measureStart(door, place, options.starts));
      await machine.sample();
      const tokens = await measureTokens(place, options.messages);
      await machine.sample();
      const calls = await measureToolCalls(place, options.messages);
      return { rows: [...starts, ...tokens, ...calls], noise: machine.noise() };
    } finally {
      await running.kill();
    }
  } finally {
    folder.remove();
  }
}

/** Alternates with a Node process that does nothing. The first start, which fills Node's compile cache, is not counted. */
async function measureStart(door: StartedDoor, place: DoorPlace, starts: number): Promise<DoorRow> {
  const times: number[] = [];
  const node: number[] = [];
  for (let index = -1; index < starts; index += 1) {
    const nodeMs = await nodeStartMs();
    const doorMs = await startMs(door, place);
    if (index < 0) continue;
    node.push(nodeMs);
    times.push(doorMs);
  }
  return {
    name: `\`${door.command}\`: start of the process → reply to \`initialize\``,
    door: figuresOf(times),
    beside: { name: "`node -e 0`", figures: figuresOf(node) },
    goal: { belowMs: START_MS },
  };
}

async function startMs(
  { args, initialize }: StartedDoor,
  { program, repository }: DoorPlace,
): Promise<number> {
  const startedAt = process.hrtime.bigint();
  const peer = startPeer([program, ...args], { cwd: repository });
  const { at } = await peer.request("initialize", initialize);
  await peer.close();
  return msBetween(startedAt, at);
}

async function nodeStartMs(): Promise<number> {
  const startedAt = process.hrtime.bigint();
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "inherit" });
  await new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return msBetween(startedAt, process.hrtime.bigint());
}

/** Live, idle agents get messages in turns: one through each door, one over the API. */
async function measureTokens(
  { program, data, repository, running }: DoorPlace,
  messages: number,
): Promise<readonly DoorRow[]> {
  const stdio = await openStdioEditor([program, "acp", "--data", data], repository);
  const socket = await openSocketEditor(running.url, repository);
  const api = await openWarmSession(running);
  const times = {
    stdio: new Array<number>(),
    socket: new Array<number>(),
    api: new Array<number>(),
  };
  const ways = [
    [stdio, times.stdio],
    [socket, times.socket],
    [api, times.api],
  ] as const;
  for (let index = -WARM_UP; index < messages; index += 1) {
    for (const [session, own] of index % 2 === 0 ? ways : ways.toReversed()) {
      const { sentAt, answeredAt } = await session.send("@stamp 1 0");
      await pause(BETWEEN_MS);
      if (index >= 0) own.push(msBetween(sentAt, answeredAt));
    }
  }
  await Promise.all([stdio.close(), socket.close()]);
  api.close();
  const row = (name: string, own: readonly number[]): DoorRow => ({
    name: `${name}: prompt → first token`,
    door: figuresOf(own),
    beside: { name: "the API, SSE", figures: figuresOf(times.api) },
    goal: { timesAtMost: TOKEN_TIMES },
  });
  return [row("`holdfast acp` on stdio", times.stdio), row("`/acp` over WebSocket", times.socket)];
}
