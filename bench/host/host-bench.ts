import { writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { openBenchFolder } from "../bench-folder.ts";
import {
  createSession,
  deleteSession,
  openSession,
  openWarmSession,
  type BenchSession,
} from "../floor/bench-session.ts";
import { holdfastContender, type Contender, type Running } from "../floor/contender.ts";
import { throughputProbe, updateProbe } from "../floor/stream-probes.ts";
import { watchMachine, type Noise } from "../machine.ts";
import {
  cpuMsOfAll,
  proportionalBytesOf,
  residentBytesOf,
  untilQuiet,
  untilSettled,
} from "../process-stat.ts";
import { copyProgram } from "../server-process.ts";
import type { HostMeasureId, HostPlace } from "./host-measures.ts";

/** Readings of one round: one or several of each measure. */
export type HostReadings = Readonly<Partial<Record<HostMeasureId, readonly number[]>>>;
export type HostRound = Readonly<Record<HostPlace, HostReadings>>;

export interface HostComparison {
  readonly rounds: readonly HostRound[];
  readonly noise: Noise;
}

export interface HostBenchOptions {
  readonly rounds: number;
  /** Messages to each server in a round. */
  readonly messages: number;
  /** Updates of one flood, and floods of each server in a round. */
  readonly updates: number;
  readonly floods: number;
}

const PLACES = ["inside", "outside"] as const satisfies readonly HostPlace[];
/** Messages until the programs are compiled and the caches are warm. */
const WARM_UP = 40;
const STARTS = 3;
/** Floods until the programs are compiled for them. */
const WARM_UP_FLOODS = 2;
/** What a server does after an answer must not fall into the next measurement, which is of the other server. */
const BETWEEN_MS = 15;
const MIB = 2 ** 20;

/** Measures a server whose agents are its children beside one whose agents live in the agent host, alternately. */
export async function benchHost(options: HostBenchOptions): Promise<HostComparison> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  const rounds: HostRound[] = [];
  try {
    const program = copyProgram(folder.newFolder("program"));
    for (let round = 0; round < options.rounds; round += 1) {
      const contenders = PLACES.map((place) => {
        const own = folder.newFolder(`${place}-${round}`);
        const contender = holdfastContender({ folder: own, program, agentHost: place });
        return [place, contender] as const;
      });
      await machine.sample();
      // New servers each time: two processes of the same program are not equally fast.
      rounds.push(await measureRound(inOrder(contenders, round), options));
    }
    return { rounds, noise: machine.noise() };
  } finally {
    folder.remove();
  }
}

/** One of the two servers. */
interface Side {
  readonly place: HostPlace;
  readonly contender: Contender;
  readonly running: Running;
  readonly readings: Partial<Record<HostMeasureId, number[]>>;
}

async function measureRound(
  contenders: readonly (readonly [HostPlace, Contender])[],
  { messages, updates, floods }: HostBenchOptions,
): Promise<HostRound> {
  const sides: Side[] = [];
  try {
    for (const [place, contender] of contenders) {
      sides.push({ place, contender, running: await contender.start(), readings: {} });
    }
    await Promise.all(sides.map(({ running }) => untilSettled(running.pid)));
    await measureIdleMemory(sides);
    await measureStarts(sides);
    await measureMessages(sides, messages);
    await measureUpdates(sides);
    await measureFloods(sides, { updates, floods });
    const of = (wanted: HostPlace): HostReadings =>
      sides.find(({ place }) => place === wanted)?.readings ?? {};
    return { inside: of("inside"), outside: of("outside") };
  } finally {
    await Promise.all(sides.map(({ running }) => running.kill()));
  }
}

/** Each server has one agent, which has answered once. */
async function measureIdleMemory(sides: readonly Side[]): Promise<void> {
  const warm = await openAll(sides);
  for (const { side } of warm) {
    const pids = await processesOf(side);
    await Promise.all(pids.map((pid) => untilQuiet(pid)));
    note(side, "idleShared", sum(pids.map(proportionalBytesOf)) / MIB);
    note(side, "idleResident", sum(pids.map(residentBytesOf)) / MIB);
  }
  await closeAll(warm);
}

/** New sessions, whose agents have to start. The host runs already. */
async function measureStarts(sides: readonly Side[]): Promise<void> {
  for (let index = -1; index < STARTS; index += 1) {
    for (const side of inOrder(sides, index)) {
      const session = await openSession(side.running, await createSession(side.running));
      const { sentAt, answeredAt } = await session.send("@stamp 1 0");
      await closeAll([{ side, session }]);
      await pause(BETWEEN_MS);
      if (index >= 0) note(side, "start", msBetween(sentAt, answeredAt));
    }
  }
}

/** Messages to live, idle agents. */
async function measureMessages(sides: readonly Side[], messages: number): Promise<void> {
  const warm = await openAll(sides);
  for (let index = -WARM_UP; index < messages; index += 1) {
    for (const { side, session } of inOrder(warm, index)) {
      const { sentAt, readAt, answeredAt } = await session.send("@stamp 1 0");
      await pause(BETWEEN_MS);
      if (index < 0) continue;
      note(side, "toAgent", msBetween(sentAt, readAt));
      note(side, "firstToken", msBetween(sentAt, answeredAt));
      note(side, "toClient", msBetween(readAt, answeredAt));
    }
  }
  await closeAll(warm);
}

/** One second of 100 updates. */
async function measureUpdates(sides: readonly Side[]): Promise<void> {
  for (const side of sides) {
    const probe = await updateProbe(1).open(side.running, side.contender);
    const { update50 = [] } = await probe.sample();
    note(side, "update", ...[update50].flat());
    await probe.close?.();
  }
}

/** Agents that write as fast as they can. */
async function measureFloods(
  sides: readonly Side[],
  { updates, floods }: { readonly updates: number; readonly floods: number },
): Promise<void> {
  for (let index = -WARM_UP_FLOODS; index < floods; index += 1) {
    for (const side of inOrder(sides, index)) {
      const pids = await processesOf(side);
      const probe = await throughputProbe(updates).open(side.running, side.contender);
      const cpuMs = cpuMsOfAll(pids);
      const { throughput = [] } = await probe.sample();
      const usedMs = cpuMsOfAll(pids) - cpuMs;
      await probe.close?.();
      await Promise.all(pids.map((pid) => untilQuiet(pid)));
      if (index < 0) continue;
      note(side, "throughput", ...[throughput].flat());
      note(side, "cpu", (usedMs * 1_000) / updates);
      if (index === floods - 1) note(side, "memoryAfter", sum(pids.map(proportionalBytesOf)) / MIB);
    }
  }
}

/** The server, and its agent host if it has one. */
async function processesOf({ contender, running }: Side): Promise<readonly number[]> {
  const pids = await contender.processes(running);
  for (const pid of pids) if (pid !== running.pid) raiseAutogroup(pid);
  return pids;
}

/** The host is in a process session of its own, which does not inherit this part of the benchmark's priority. */
function raiseAutogroup(pid: number): void {
  if (getPriority() >= 0) return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(getPriority()));
  } catch {
    // Autogroups are not enabled.
  }
}

interface Warm {
  readonly side: Side;
  readonly session: BenchSession;
}

async function openAll(sides: readonly Side[]): Promise<readonly Warm[]> {
  const warm: Warm[] = [];
  for (const side of sides) warm.push({ side, session: await openWarmSession(side.running) });
  return warm;
}

/** Also ends the agents. */
async function closeAll(warm: readonly Warm[]): Promise<void> {
  for (const { side, session } of warm) {
    session.close();
    await deleteSession(side.running, session.id);
  }
}

function note({ readings }: Side, id: HostMeasureId, ...values: readonly number[]): void {
  (readings[id] ??= []).push(...values);
}

/** Each is the first in every other turn. */
function inOrder<Value>(values: readonly Value[], index: number): readonly Value[] {
  return index % 2 === 0 ? values : values.toReversed();
}

function msBetween(start: bigint, end: bigint): number {
  return Number(end - start) / 1e6;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
