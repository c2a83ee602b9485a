import fc from "fast-check";
import { expect, it } from "vitest";
import { PHASES, type PhaseChange } from "../../domain/phase.ts";
import type { RunFigures, SessionFigures } from "../../storage/figures.ts";
import { createStats } from "./stats.ts";

const START = Date.UTC(2026, 0, 1);
const YEAR_MS = 365 * 24 * 60 * 60_000;
const time = fc.integer({ min: START, max: START + YEAR_MS });

const run: fc.Arbitrary<RunFigures> = fc.record({
  provider: fc.constantFrom("demo", "other", null),
  outcome: fc.constantFrom("completed", "failed", "cancelled", "interrupted"),
  startedAt: time,
  endedAt: time,
  usage: fc.constantFrom(null, { inputTokens: 3, cost: { amount: 0.25, currency: "USD" } }),
  wentOn: fc.boolean(),
});

const session: fc.Arbitrary<SessionFigures> = fc
  .record({
    agentName: fc.constantFrom("ada", "bob", null),
    createdAt: time,
    finalized: fc.option(fc.record({ at: time, outcome: fc.constant("completed" as const) })),
    closedAt: fc.option(time),
    changes: fc.array(fc.record({ to: fc.constantFrom(...PHASES), at: time }), { maxLength: 6 }),
    errorTotal: fc.nat(5),
    errorsAt: fc.array(time, { maxLength: 3 }),
    runs: fc.array(run, { maxLength: 4 }),
  })
  .map(({ changes, runs, ...figures }) => {
    const sorted = changes.toSorted((left, right) => left.at - right.at);
    const phaseHistory = sorted.map(({ to, at }, index): PhaseChange => ({
      from: sorted[index - 1]?.to ?? "initializing",
      to,
      at,
    }));
    const phase = phaseHistory.at(-1)?.to ?? "initializing";
    return { ...figures, id: "s", phase, phaseHistory, hasRuns: runs.length > 0, runs };
  });

it("B7 statistics over time, by agent and by phase add up to the whole, whatever there is", () => {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  fc.assert(
    fc.property(
      fc.array(session, { maxLength: 8 }),
      fc.option(time),
      time,
      (sessions, from, now) => {
        const stats = createStats({ from: from ?? -Infinity, to: Infinity, now });
        for (const one of sessions.toSorted((left, right) => left.createdAt - right.createdAt))
          stats.add(one);
        const { total, byAgent, byPhase, overTime } = stats.read();
        const { buckets } = overTime;
        const keys = ["completed", "failed", "cancelled", "interrupted", "inputTokens"] as const;
        for (const key of keys) {
          expect(sum(buckets.map((bucket) => bucket[key]))).toBe(total[key]);
          expect(sum(byAgent.map((group) => group[key]))).toBe(total[key]);
        }
        expect(sum(buckets.map(({ cost }) => cost["USD"] ?? 0))).toBe(total.cost["USD"] ?? 0);
        expect(sum(byAgent.map(({ errors }) => errors))).toBe(total.errors);
        expect(sum(buckets.map((bucket) => bucket.sessions))).toBe(
          sessions.filter(({ createdAt }) => createdAt >= (from ?? -Infinity)).length,
        );
        expect(buckets.length).toBeLessThanOrEqual(200);
        expect(buckets.map(({ start }) => start)).toEqual(
          buckets.map((_, index) => (buckets[0]?.start ?? 0) + index * overTime.bucketMs),
        );
        const failed = sum(sessions.map(({ runs }) => runs.filter(isFailed).length));
        const reported = sum(sessions.map(({ errorsAt }) => errorsAt.length));
        expect(sum(byPhase.map(({ errors }) => errors))).toBe(failed + reported);
        expect(byPhase.every((row) => row.sessions <= total.sessions)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

function isFailed({ outcome }: RunFigures): boolean {
  return outcome === "failed";
}
