import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { need } from "../../packages/server/src/domain/testing/machine.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { bundleServer } from "./bundle-server.ts";
import { FEW_KILLS, ONE_KILL } from "./kills.ts";
import {
  planPass,
  SESSION_MOMENTS,
  type FaultName,
  type PlannedRound,
  type SessionMoment,
} from "./matrix.ts";
import { runMatrix, whyNotHere } from "./run-matrix.ts";

const SEED = 1;
const everything = planPass(0);
const serving = (...faults: readonly FaultName[]): readonly PlannedRound[] =>
  everything.filter(({ fault, at }) => at === "serving" && faults.includes(fault));

const AT_FAILPOINTS: readonly PlannedRound[] = [
  { fault: "server killed", at: "serving", failpoint: "run.handed" },
  { fault: "server killed", at: "serving", failpoint: "answer.told" },
  { fault: "second kill", at: "serving", failpoint: "recovery.claimed" },
  { fault: "server killed", at: "shutting down", failpoint: "stop.suspending" },
  { fault: "server killed", at: "migrating", failpoint: "migrate.search.created" },
];

type Turns = readonly (readonly SessionMoment[])[];

/** In everyday runs, each round takes every third moment, in turn. */
const TURNS = repeat<Turns>({
  short: [0, 1, 2].map((turn) => SESSION_MOMENTS.filter((_, index) => index % 3 === turn)),
  long: [SESSION_MOMENTS],
});

let program: string;
beforeAll(async () => {
  program = await bundleServer();
});
afterAll(() => rmSync(path.dirname(program), { recursive: true }));

async function violationsOf(
  plan: readonly PlannedRound[],
  turns: Turns = [SESSION_MOMENTS],
): Promise<readonly string[]> {
  for (const round of plan) need(whyNotHere(round));
  const rounds = await runMatrix(plan, {
    seed: SEED,
    kills: repeat({ short: ONE_KILL, long: FEW_KILLS }),
    program,
    momentsOf: (round) => turns[round % turns.length] ?? SESSION_MOMENTS,
  });
  expect(rounds).toHaveLength(plan.length);
  return rounds.flatMap(({ fault, at, violations }) =>
    violations.map((violation) => `${fault}, ${at}: ${violation}`),
  );
}

interface MatrixPart {
  readonly plan: readonly PlannedRound[];
  readonly turns?: Turns;
}

const PARTS: readonly (readonly [when: string, MatrixPart])[] = [
  [
    "the server dies at a random moment or a failpoint",
    {
      plan: [
        ...serving("server killed", "server killed, agents inside", "both killed"),
        ...AT_FAILPOINTS,
      ],
      turns: TURNS,
    },
  ],
  [
    "the server is paused for longer than agents may be silent",
    { plan: serving("node paused"), turns: TURNS },
  ],
  ["the disk is full", { plan: serving("disk full"), turns: TURNS }],
  // Each of these also has its own tests, at fewer moments.
  [
    "agents die, clients disconnect, the database is busy and the clock jumps",
    { plan: serving("agent killed", "database busy", "client gone", "clock jump") },
  ],
  [
    "agents misbehave, even while the server stops",
    { plan: everything.filter(({ fault }) => fault === "agent misbehaves") },
  ],
];

// Concurrent, because each round spends most of its time waiting.
describe.concurrent("sessions in all their moments (npm run test:crash has more)", () => {
  it.each(repeat({ short: PARTS.slice(0, 3), long: PARTS }))(
    "keep every promise when %s (P1, P3, P4, P5)",
    async (_, { plan, turns }) => {
      expect(await violationsOf(plan, turns)).toEqual([]);
    },
    900_000,
  );
});
