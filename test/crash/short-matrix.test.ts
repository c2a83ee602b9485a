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

// Concurrent, because each round spends most of its time waiting.
describe.concurrent("sessions in all their moments (npm run test:crash has more)", () => {
  it("keep every promise when the server dies at a random moment or a failpoint (P1, P3, P4, P5)", async () => {
    const plan = [...serving("server killed", "both killed"), ...AT_FAILPOINTS];
    expect(await violationsOf(plan, TURNS)).toEqual([]);
  }, 900_000);

  it("keep every promise when agents die, clients disconnect, the database is busy and the clock jumps (P1, P3, P4, P5)", async () => {
    const plan = serving("agent killed", "database busy", "client gone", "clock jump");
    expect(await violationsOf(plan, TURNS)).toEqual([]);
  }, 900_000);

  it("keep every promise when agents misbehave, even while the server stops (P1, P3, P4, P5)", async () => {
    const plan = everything.filter(({ fault }) => fault === "agent misbehaves");
    expect(await violationsOf(plan, TURNS)).toEqual([]);
  }, 900_000);

  it("keep every promise when the server is paused for longer than agents may be silent (P1, P3, P4, P5)", async () => {
    expect(await violationsOf(serving("node paused"))).toEqual([]);
  }, 900_000);

  it("keep every promise when the disk is full (P1, P3, P4, P5)", async () => {
    expect(await violationsOf(serving("disk full"))).toEqual([]);
  }, 900_000);
});
