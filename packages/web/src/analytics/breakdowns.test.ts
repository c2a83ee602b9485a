import { describe, expect, it } from "vitest";
import { breakdownsOf } from "./breakdowns.ts";
import { emptyStats } from "./testing/empty-stats.ts";

const group = {
  ...emptyStats.total,
  name: "demo",
  sessions: 3,
  runs: 4,
  completed: 3,
  failed: 1,
  successRate: 0.75,
  errors: 2,
  durationMs: { median: 4_000, mean: 5_000, total: 20_000 },
  inputTokens: 1_500,
  outputTokens: 300,
  cost: { USD: 0.5, EUR: 1 },
};
const alone = { ...emptyStats.total, runs: 1, cancelled: 1, successRate: 0 };

describe("a breakdown by agent, provider and phase", () => {
  const [agents, providers, phases] = breakdownsOf(
    {
      ...emptyStats,
      byAgent: [group, alone],
      byProvider: [group, { ...alone, name: "other" }, alone],
      byPhase: [
        {
          phase: "planning",
          sessions: 2,
          durationMs: { median: 30_000, mean: 30_000, total: 60_000 },
          errors: 1,
        },
        { phase: "completed", sessions: 2, durationMs: null, errors: 0 },
      ],
    },
    new Map([["demo", "Demo agent"]]),
  );

  it("has bars in proportion to the longest", () => {
    expect(agents?.bars).toEqual([
      { name: "demo", share: 1, text: "4 runs, 75%" },
      { name: "Unnamed agent", share: 0.25, text: "1 run, 0%" },
    ]);
  });

  it("uses the titles of known providers", () => {
    expect(providers?.bars.map(({ name }) => name)).toEqual(["Demo agent", "other", "None"]);
  });

  it("has rows with a cell for each column", () => {
    expect(agents?.rows).toEqual([
      ["demo", "3", "4", "3", "1", "0", "0", "75%", "2", "4.0 s", "1.5K", "300", "$0.50, €1.00"],
      ["Unnamed agent", "0", "1", "0", "0", "1", "0", "0%", "0", "–", "0", "0", "–"],
    ]);
    expect(agents?.columns.length).toBe(13);
  });

  it("has bars for timed phases and rows for all phases", () => {
    expect(phases?.bars).toEqual([{ name: "Planning", share: 1, text: "1 min, median 30 s" }]);
    expect(phases?.rows).toEqual([
      ["Planning", "2", "1 min", "30 s", "30 s", "1"],
      ["Completed", "2", "–", "–", "–", "0"],
    ]);
  });

  it("has no bars without activity", () => {
    expect(breakdownsOf(emptyStats, new Map()).map(({ bars }) => bars)).toEqual([[], [], []]);
  });
});
