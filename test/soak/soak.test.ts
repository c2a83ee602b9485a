import { expect, it } from "vitest";
import { judgeSoak } from "./judge.ts";
import { runSoak } from "./run-soak.ts";
import { shortPlan } from "./soak-plan.ts";

it("under load nothing acknowledged is lost, no client misses or repeats anything, and nothing grows (P1, P4, P5, P6)", async () => {
  const result = await runSoak(shortPlan);
  const { verdicts, violations } = judgeSoak(result);
  expect(violations).toEqual([]);
  expect(verdicts.filter(({ isGood }) => isGood === false)).toEqual([]);
  // Otherwise the load was too small, even for a busy machine.
  const { opening, samples, closing } = result;
  const loads = [opening, ...samples.map(({ load }) => load), closing];
  const count = (read: (load: typeof closing) => number): number =>
    loads.reduce((total, load) => total + read(load), 0);
  expect(count(({ sender }) => sender.acknowledged)).toBeGreaterThan(shortPlan.sessions);
  expect(count(({ sender }) => sender.sessionsEnded)).toBeGreaterThanOrEqual(shortPlan.sessions);
  expect(
    count(({ readers }) => readers.reduce((sum, { returned }) => sum + returned, 0)),
  ).toBeGreaterThan(3);
}, 900_000);
