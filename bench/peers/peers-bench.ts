import { realpathSync } from "node:fs";
import path from "node:path";
import { openBenchFolder, type BenchFolder } from "../bench-folder.ts";
import {
  agentCommand,
  floorContender,
  holdfastContender,
  preparePrograms,
} from "../floor/contender.ts";
import { ENDED_WITH_SERVER } from "../floor/kill-probe.ts";
import { medianOf } from "../floor/readings.ts";
import { watchMachine, type Noise } from "../machine.ts";
import { untilSettled } from "../process-stat.ts";
import { copyProgram } from "../server-process.ts";
import { startFakeModel } from "./fake-model.ts";
import { hapiPeer } from "./hapi.ts";
import { PEER_MEASURE_IDS, type PeerMeasure, type PeerReadings } from "./measures.ts";
import { openCodePeer } from "./opencode.ts";
import { ownPeer } from "./own.ts";
import type { Peer, PeerServer } from "./peer.ts";
import {
  fillLongSession,
  probeCreation,
  probeKill,
  probeLastMessages,
  probePieces,
  probeTurns,
  type Amounts,
  type LongSession,
} from "./probes.ts";
import { HAPI, install, OPENCODE, QWEN } from "./programs.ts";
import { qwenPeer } from "./qwen.ts";

export interface PeerComparison {
  readonly repetitions: number;
  readonly noise: Noise;
  readonly columns: readonly PeerColumn[];
  /** What could not be installed or measured, and why. */
  readonly failures: readonly string[];
}

export interface PeerColumn {
  readonly name: string;
  readonly longMessages: number;
  /** Medians of the repetitions. */
  readonly medians: PeerReadings;
  readonly all: readonly PeerReadings[];
}

export interface PeerOptions {
  readonly repetitions: number;
  readonly amounts: Amounts;
}

/**
 * Measures Holdfast, the floor and other programs in turns. Only one of them runs at a time. Null if no other program can be
 * installed.
 */
export async function benchPeers(options: PeerOptions): Promise<PeerComparison | null> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  const model = await startFakeModel();
  const failures: string[] = [];
  try {
    const peers = await othersIn(folder, { model: model.url, failures });
    if (peers.length === 0) return null;
    const entries = [...ownIn(folder), ...peers].map(newEntry);
    for (const entry of entries) {
      await attempt(entry, failures, () => inTime(warmUp(entry)));
    }
    for (let round = 0; round < options.repetitions; round += 1) {
      for (const entry of entries) {
        await machine.sample();
        await runRound(entry, { ...options, failures });
      }
    }
    return {
      repetitions: options.repetitions,
      noise: machine.noise(),
      columns: entries.map(columnOf),
      failures: [...new Set(failures)],
    };
  } finally {
    model.stop();
    folder.remove();
  }
}

interface Entry {
  readonly peer: Peer;
  /** For starts and the kill, if they need other settings. */
  readonly killed: Peer;
  readonly readings: PeerReadings[];
  long: LongSession | null;
}

type Pair = Pick<Entry, "peer" | "killed">;

const newEntry = (pair: Pair): Entry => ({ ...pair, readings: [], long: null });

function ownIn(folder: BenchFolder): readonly Pair[] {
  const program = copyProgram(folder.newFolder("program"));
  const holdfast = (name: string, agentHost?: "inside"): Peer =>
    ownPeer(
      "Holdfast",
      holdfastContender({
        folder: folder.newFolder(name),
        program,
        ...(agentHost !== undefined && { agentHost }),
      }),
    );
  const floor = ownPeer("floor", floorContender({ folder: folder.newFolder("floor") }));
  return [
    { peer: holdfast("holdfast"), killed: holdfast("killed", ENDED_WITH_SERVER.agentHost) },
    { peer: floor, killed: floor },
  ];
}

async function othersIn(
  folder: BenchFolder,
  { model, failures }: { readonly model: string; readonly failures: string[] },
): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  const add = async (
    label: string,
    program: typeof OPENCODE | typeof HAPI | typeof QWEN,
    make: (name: string, file: string) => Peer,
  ): Promise<void> => {
    const name = `${label} ${program.version}`;
    const installed = await install(program);
    if ("why" in installed) {
      failures.push(`${name} could not be installed: ${installed.why}`);
      return;
    }
    const peer = make(name, realpathSync(installed.file));
    pairs.push({ peer, killed: peer });
  };
  await add("OpenCode", OPENCODE, (name, program) =>
    openCodePeer({ name, program, model, folder: folder.newFolder("opencode") }),
  );
  await add("HAPI", HAPI, (name, launcher) => {
    const own = folder.newFolder("hapi");
    const { agent } = preparePrograms(own);
    return hapiPeer({
      name,
      program: hapiBinary(launcher),
      agent: agentCommand(agent),
      folder: own,
    });
  });
  await add("Qwen Code", QWEN, (name, program) =>
    qwenPeer({ name, program, model, folder: folder.newFolder("qwen") }),
  );
  return pairs;
}

/** The program itself: its launcher would stay alive when it is killed. */
function hapiBinary(launcher: string): string {
  const platform = `hapi-${process.platform}-${process.arch}`;
  return path.join(path.dirname(launcher), "..", "..", platform, "bin", "hapi");
}

/** The first start creates a database, unpacks tools and compiles programs. */
async function warmUp({ peer, killed }: Pair): Promise<void> {
  for (const each of new Set([peer, killed])) {
    await using started = await startPeer(each, "session");
    const id = await started.server.open();
    await started.server.close(id);
    await settle(started.server);
  }
}

async function runRound(
  entry: Entry,
  { amounts, failures }: PeerOptions & { readonly failures: string[] },
): Promise<void> {
  const { peer, killed, readings } = entry;
  const step = (work: () => Promise<PeerReadings>): Promise<void> =>
    attempt(entry, failures, async () => void readings.push(await inTime(work())));
  await step(async () => {
    await using first = await startPeer(killed, "session");
    return { firstSession: first.server.answeredMs };
  });
  await attempt(entry, failures, async () => {
    await using started = await startPeer(peer, "health");
    const { server } = started;
    await settle(server);
    await step(() => probeTurns(server, amounts));
    if (peer.takesFlood) await step(() => probePieces(server, amounts));
    await step(async () => {
      const { id } = (entry.long ??= await fillLongSession(server, amounts));
      await server.reopen(id);
      return probeLastMessages(server, { id, reads: amounts.reads });
    });
    await step(() => probeCreation(server, amounts));
  });
  await step(async () => {
    await using started = await startPeer(killed, "health");
    await settle(started.server);
    // Awaited here, before the server is disposed of.
    return await probeKill(killed, started.server);
  });
}

async function startPeer(peer: Peer, first: "session" | "health") {
  const server = await peer.start(first);
  return { server, [Symbol.asyncDispose]: () => server.stop() };
}

/** Some programs never rest. */
const SETTLED_MS = 10_000;

const settle = ({ pid }: PeerServer): Promise<void> => untilSettled(pid, { withinMs: SETTLED_MS });

/** Longer than any step takes. */
const STEP_MS = 150_000;

/** A program that does not answer must not end the comparison. */
async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("a step did not end")), STEP_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What goes wrong in another program leaves a cell empty. */
async function attempt(
  { peer }: Pair,
  failures: string[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    failures.push(`${peer.name}: ${line.slice(0, 200)}`);
  }
}

function columnOf({ peer, readings, long }: Entry): PeerColumn {
  const medians: Partial<Record<PeerMeasure, number>> = {};
  for (const id of PEER_MEASURE_IDS) {
    const values = readings.flatMap((one) => one[id] ?? []);
    if (values.length > 0) medians[id] = medianOf(values);
  }
  return { name: peer.name, longMessages: long?.messages ?? 0, medians, all: readings };
}
