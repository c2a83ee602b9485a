import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { KEPT_SEEDS } from "./kept-seeds.ts";
import { LAWS } from "./laws.ts";
import { PLANTS, type Plant } from "./plants.ts";
import { SimDatabase } from "./sim-database.ts";
import { simulate, type Outcome } from "./simulate.ts";

let database: SimDatabase;
beforeAll(async () => {
  database = await SimDatabase.open();
});
afterAll(() => database.close());

/** `SIM_SEED` repeats one simulation. The seeds of every day are the same, so that a change is judged by what it changes. */
const fixed = Number(process.env["SIM_SEED"]);
const anywhere = repeat({ short: 1, long: 1 + (Date.now() % 1_000_000_000) });
const FIRST = Number.isSafeInteger(fixed) && fixed > 0 ? fixed : anywhere;
const SEEDS = FIRST === fixed ? 1 : repeat({ short: 50, long: 1_000 });
/** A planted bug must be seen in this many simulations; the first few usually suffice. */
const MOST = 400;

/** Otherwise the simulations would show little. */
const EXPECTED = [
  "send",
  "answer",
  "crash",
  "stop",
  "agent killed",
  "unknown outcome",
  "hanging write",
];

describe("a simulated server", () => {
  it("P1 P2 P3 P4 keeps its promises in whatever order things happen and fail", async () => {
    const counts = new Map<string, number>();
    let wrong = "";
    for (let seed = FIRST; seed < FIRST + SEEDS && wrong === ""; seed += 1) {
      const { broken, counts: counted } = await simulate(database, seed);
      if (broken.length > 0) wrong = await report(seed);
      for (const [what, times] of counted) counts.set(what, (counts.get(what) ?? 0) + times);
    }
    expect(wrong).toBe("");
    const missing = SEEDS === 1 ? [] : EXPECTED.filter((what) => !counts.has(what));
    expect(missing).toEqual([]);
  });

  it("D2 gives a steered message to one agent once, or says that nobody knows, whatever fails", async () => {
    const counts = new Map<string, number>();
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const { broken, counts: counted } = await simulate(database, seed, { steers: true });
      expect({ seed, broken }).toEqual({ seed, broken: [] });
      for (const [what, times] of counted) counts.set(what, (counts.get(what) ?? 0) + times);
    }
    const steered = SEEDS === 1 ? 1 : (counts.get("steered") ?? 0);
    expect(steered).toBeGreaterThan(SEEDS / 4);
  });

  it("is the same for the same seed", async () => {
    const [one, two] = [
      await simulate(database, 11, { keepsTrace: true }),
      await simulate(database, 11, { keepsTrace: true }),
    ];
    expect(one.trace.length).toBeGreaterThan(100);
    expect(two.trace).toEqual(one.trace);
  });

  it.each(KEPT_SEEDS)("P2 keeps its promise where it once did not: $reason", async (kept) => {
    const { from, shows } = kept;
    let isShown = false;
    for (let seed = from; seed < from + MOST && !isShown; seed += 1) {
      const { broken, trace } = await simulate(database, seed, { keepsTrace: true });
      expect(broken).toEqual([]);
      isShown = shows(trace);
    }
    expect(isShown).toBe(true);
  });

  it.each(PLANTS)("shows a planted bug: $name", async (plant) => {
    expect(await firstBroken(plant)).not.toBeNull();
  });
});

it("has a planted bug for every law", () => {
  const noticed = new Set(PLANTS.flatMap(({ breaks }) => breaks));
  expect(LAWS.filter((law) => !noticed.has(law))).toEqual([]);
});

async function firstBroken(plant: Plant): Promise<Outcome | null> {
  const { from = 1 } = plant;
  for (let seed = from; seed < from + MOST; seed += 1) {
    const outcome = await simulate(database, seed, { plant });
    if (outcome.broken.some(({ law }) => plant.breaks.includes(law))) return outcome;
  }
  return null;
}

async function report(seed: number): Promise<string> {
  const { broken, trace } = await simulate(database, seed, { keepsTrace: true });
  const laws = broken.map(({ law, detail }) => `${law}: ${detail}`);
  return [`SIM_SEED=${seed}`, ...laws, ...trace].join("\n");
}
