import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FAILPOINTS } from "../../packages/server/src/runtime/failpoint.ts";
import { matrixTable, totals } from "./failure-table.ts";
import { NO_COUNTS } from "./fault-window.ts";
import type { MatrixRound } from "./matrix-round.ts";
import { FAULTS, planPass, type PlannedRound } from "./matrix.ts";
import { parseTargets, planRounds, unreached } from "./plan-rounds.ts";
import { readResults, writeResults } from "./results.ts";

const ROUND: MatrixRound = {
  fault: "server killed",
  at: "serving",
  failpoint: null,
  hit: ["idle", "queued"],
  missed: ["streaming"],
  violations: [],
  counts: { ...NO_COUNTS, randomKills: 1 },
  acknowledged: 3,
  refused: 1,
  reconnects: 2,
  events: 9,
  settledMs: 40,
  tookMs: 100,
};

describe("the plan", () => {
  it("contains each fault once per place in a pass, and reaches every failpoint", () => {
    const passes = Array.from({ length: 24 }, (_, pass) => planPass(pass));
    for (const pass of passes) {
      const places = new Set(pass.map(({ fault, at }) => `${fault}, ${at}`));
      // A migrating server has no agents that could misbehave.
      const cells = FAULTS.length * 3 - 1;
      expect([places.size, pass.length]).toEqual([cells, cells]);
    }
    const failpoints = new Set(passes.flat().flatMap(({ failpoint }) => failpoint ?? []));
    expect(failpoints).toEqual(
      new Set([...FAILPOINTS, "migrate.search.created", "migrate.search.indexed"]),
    );
    expect(passes[0]?.every(({ failpoint }) => failpoint === null)).toBe(true);
  });
});

describe("a long run", () => {
  const isWanted = (): boolean => true;

  it("runs every cell the given number of times, then only rounds that help to reach its targets", () => {
    const rounds: MatrixRound[] = [];
    const planned: PlannedRound[] = [];
    const targets = { kills: 8, disk: 2, misbehaviours: 0 };
    for (const each of planRounds({ passes: 1, targets, isWanted, rounds })) {
      planned.push(each);
      const { randomKills, fullDisks } = countsOf(each);
      rounds.push({ ...ROUND, ...each, counts: { ...NO_COUNTS, randomKills, fullDisks } });
    }
    expect(planned.slice(0, planPass(0).length)).toEqual(planPass(0));
    expect(planned.slice(planPass(0).length).map(({ fault, at }) => `${fault}, ${at}`)).toEqual([
      "disk full, serving",
      "server killed, serving",
      "server killed, agents inside, serving",
      "both killed, serving",
      "second kill, serving",
    ]);
    expect(unreached(targets, rounds)).toEqual([]);
  });

  it("continues where it was interrupted", () => {
    const [first, ...others] = planPass(0);
    const rounds = [{ ...ROUND, ...first }];
    const plan = planRounds({ passes: 1, targets: {}, isWanted, rounds });
    expect([...plan]).toEqual(others);
  });

  it.each(["kills", "kills=", "kills=many", "pauses=3", "kills=1,,disk=2"])(
    "rejects the target %s",
    (text) => expect(parseTargets(text)).toMatch(/is not one of/u),
  );

  it("accepts targets with numbers", () =>
    expect(parseTargets("kills=1000,disk=50")).toEqual({ kills: 1000, disk: 50 }));
});

/** One fault per random round while serving. */
function countsOf({ fault, at, failpoint }: PlannedRound): {
  readonly randomKills: number;
  readonly fullDisks: number;
} {
  const isServing = at === "serving" && failpoint === null;
  return {
    randomKills: isServing && fault.includes("kill") && fault !== "agent killed" ? 1 : 0,
    fullDisks: isServing && fault === "disk full" ? 1 : 0,
  };
}

describe("the results", () => {
  it("are read by a later run with the same seed, and not with another", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(readResults(folder, null)).toBeNull();
    writeResults(path.join(folder, "new"), { seed: 7, rounds: [ROUND] });
    expect(readResults(path.join(folder, "new"), null)).toEqual({ seed: 7, rounds: [ROUND] });
    expect(readResults(path.join(folder, "new"), 8)).toBeNull();
  });

  it("are counted by cell, and show in which cell a promise broke", () => {
    const rounds = [ROUND, ROUND, { ...ROUND, violations: ["lost"] }];
    const [header, , first] = matrixTable(rounds).split("\n");
    const cells = (line = ""): readonly string[] => line.split("|").map((text) => text.trim());
    expect(cells(header)).toContain("queued");
    expect(cells(first).slice(1, 4)).toEqual(["server killed", "3 (1 broken)", "0"]);
    expect(Object.fromEntries(totals(rounds))).toMatchObject({
      rounds: 3,
      "kills of the server at a random moment": 3,
      "sessions hit in their moment": 6,
      violations: 1,
    });
  });
});
