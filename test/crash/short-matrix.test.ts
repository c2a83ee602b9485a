import { describe, expect, it } from "vitest";
import { need } from "../../packages/server/src/domain/testing/machine.ts";
import { FEW_KILLS } from "./kills.ts";
import { planPass, type FaultName, type PlannedRound } from "./matrix.ts";
import { runMatrix, whyNotHere } from "./run-matrix.ts";

const SEED = 1;
const everything = planPass(0);
const serving = (...faults: readonly FaultName[]): readonly PlannedRound[] =>
  everything.filter(({ fault, at }) => at === "serving" && faults.includes(fault));

const NAMED: readonly PlannedRound[] = [
  { fault: "server killed", at: "serving", failpoint: "run.handed" },
  { fault: "second kill", at: "serving", failpoint: "recovery.claimed" },
  { fault: "server killed", at: "shutting down", failpoint: "stop.suspending" },
  { fault: "server killed", at: "migrating", failpoint: "migrate.search.created" },
];

async function brokenIn(plan: readonly PlannedRound[]): Promise<readonly string[]> {
  for (const round of plan) need(whyNotHere(round));
  const rounds = await runMatrix(plan, { seed: SEED, kills: FEW_KILLS });
  expect(rounds).toHaveLength(plan.length);
  return rounds.flatMap(({ fault, at, violations }) =>
    violations.map((violation) => `${fault}, ${at}: ${violation}`),
  );
}

// At the same time: each waits much, for other things.
describe.concurrent("sessions in all their moments (npm run test:crash has more)", () => {
  it("keep every promise when the server dies at a random moment or a named place (P1, P3, P4, P5)", async () => {
    expect(await brokenIn([...serving("server killed", "both killed"), ...NAMED])).toEqual([]);
  }, 300_000);

  it("keep every promise when agents die, clients go, the database is busy and the clock jumps (P1, P3, P4, P5)", async () => {
    const plan = serving("agent killed", "database busy", "client gone", "clock jump");
    expect(await brokenIn(plan)).toEqual([]);
  }, 300_000);

  it("keep every promise when agents misbehave, also while the server stops (P1, P3, P4, P5)", async () => {
    const plan = everything.filter(({ fault }) => fault === "agent misbehaves");
    expect(await brokenIn(plan)).toEqual([]);
  }, 300_000);

  it("keep every promise when the server stands still for longer than agents may be silent (P1, P3, P4, P5)", async () => {
    expect(await brokenIn(serving("node paused"))).toEqual([]);
  }, 300_000);

  it("keep every promise when the disk is full (P1, P3, P4, P5)", async () => {
    expect(await brokenIn(serving("disk full"))).toEqual([]);
  }, 300_000);
});
