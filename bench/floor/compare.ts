import { openBenchFolder } from "../bench-folder.ts";
import { watchMachine, type Noise } from "../machine.ts";
import { copyProgram } from "../server-process.ts";
import {
  floorContender,
  holdfastContender,
  type Contender,
  type ContenderOptions,
} from "./contender.ts";
import { turnProbe } from "./cpu-probes.ts";
import { fanOutProbe } from "./fan-out-probe.ts";
import { ENDED_WITH_SERVER, killInTurns } from "./kill-probe.ts";
import { agentMemoryProbe, sessionMemoryProbe } from "./memory-probes.ts";
import { probeInTurns, type Turns } from "./probe.ts";
import { createCollection, type Results } from "./readings.ts";
import {
  createInRowProbe,
  createProbe,
  createRateProbe,
  lastMessagesProbe,
  listAgainProbe,
  listProbe,
  sessionProbe,
} from "./request-probes.ts";
import { storeSessions } from "./stored.ts";
import { answerProbe, firstAnswerProbe, throughputProbe, updateProbe } from "./stream-probes.ts";

export interface Comparison {
  readonly repetitions: number;
  readonly noise: Noise;
  readonly results: Results;
}

export interface CompareOptions {
  readonly repetitions: number;
  readonly isQuick: boolean;
}

/** Measures the floor and Holdfast alternately. */
export async function compare({ repetitions, isQuick }: CompareOptions): Promise<Comparison> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  const collection = createCollection();
  const turns: Turns = { repetitions, collection, between: machine.sample };
  const program = copyProgram(folder.newFolder("program"));
  const pair = (
    stage: string,
    options: Pick<ContenderOptions, "agentHost"> = {},
  ): readonly Contender[] => [
    floorContender({ folder: folder.newFolder(`${stage}-floor`) }),
    holdfastContender({ folder: folder.newFolder(`${stage}-holdfast`), program, ...options }),
  ];
  try {
    await killInTurns(pair("kill", ENDED_WITH_SERVER), turns);
    await probeInTurns(pair("work"), workProbes(isQuick), turns);
    await compareStored(pair, { turns, isQuick });
    return { repetitions, noise: machine.noise(), results: collection.results() };
  } finally {
    folder.remove();
  }
}

function workProbes(isQuick: boolean): Parameters<typeof probeInTurns>[1] {
  return [
    createProbe(isQuick ? 100 : 200),
    createInRowProbe(isQuick ? 100 : 200),
    createRateProbe(isQuick ? 500 : 1_000),
    answerProbe(isQuick ? 40 : 60),
    firstAnswerProbe(3),
    turnProbe(isQuick ? 100 : 200),
    updateProbe(isQuick ? 1 : 2),
    throughputProbe(isQuick ? 30_000 : 60_000),
    fanOutProbe({ clients: 1_000, updates: 1_000 }),
    ...(isQuick ? [] : [agentMemoryProbe]),
  ];
}

const FEW = 10_000;
const MANY = 100_000;

async function compareStored(
  pair: (stage: string) => readonly Contender[],
  { turns, isQuick }: { readonly turns: Turns; readonly isQuick: boolean },
): Promise<void> {
  const samples = isQuick ? 100 : 200;
  const memory = sessionMemoryProbe({ more: MANY - FEW });
  const few = pair("few");
  for (const contender of few) await storeSessions(contender, FEW);
  await probeInTurns(
    few,
    [
      memory.few,
      listProbe(samples, "list10k"),
      listAgainProbe(samples),
      sessionProbe(samples),
      lastMessagesProbe(samples),
    ],
    turns,
  );
  if (isQuick) return;
  const many = pair("many");
  for (const contender of many) await storeSessions(contender, MANY);
  await probeInTurns(many, [memory.many, listProbe(samples, "list100k")], turns);
}
