import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { Cluster } from "./cluster.ts";
import { planFaults, seeded } from "./faults.ts";
import { runRound } from "./round.ts";

const LOAD = repeat({
  short: { sessions: 2, updatesPerSecond: 20 },
  long: { sessions: 4, updatesPerSecond: 50 },
});

let cluster: Cluster;

beforeAll(async () => {
  // The default. On a busy machine, nodes would lose a much shorter one without a fault.
  cluster = await Cluster.open({ leaseMs: 10_000 });
});
afterAll(async () => {
  await cluster.close();
});

describe("three nodes under load", () => {
  it("lose nothing when they are restarted, and clients see each event once (P1, P3, P4, P5)", async () => {
    const restarted = cluster.nodes.slice(0, repeat({ short: 1, long: 3 }));
    const { violations, acknowledged, reconnects, runs } = await runRound(cluster, {
      faults: restarted.map(({ name }) => ({ kind: "restart", node: name })),
      ...LOAD,
      random: seeded(1),
    });
    expect(violations).toEqual([]);
    expect(acknowledged).toBeGreaterThan(repeat({ short: 2, long: 8 }));
    expect(runs["completed"]).toBeGreaterThan(acknowledged / 2);
    expect(reconnects).toBeGreaterThan(3);
  });

  it("keep every promise while they are paused, killed and cut off from the database (P1, P2, P3, P4, P5)", async () => {
    const random = seeded(2);
    const counts = {
      pauses: repeat({ short: 1, long: 2 }),
      kills: repeat({ short: 1, long: 2 }),
      cuts: 3,
      // `npm run test:cluster` tests them. The store's contract also checks that late writes are refused.
      lateWrites: 0,
      restarts: repeat({ short: 0, long: 1 }),
      databaseRestarts: 1,
    };
    const { violations, runs, acknowledged } = await runRound(cluster, {
      faults: planFaults(counts, random),
      random,
      ...LOAD,
    });
    expect(violations).toEqual([]);
    expect(runs["completed"]).toBeGreaterThan(acknowledged / 2);
  }, 600_000);

  it("leave no process after a stop (P5)", async () => {
    const exits = await Promise.all(
      cluster.nodes.map(async (node) => ({ code: await node.stop(), output: node.output })),
    );
    expect(exits.filter(({ code }) => code !== 0)).toEqual([]);
    expect(cluster.agents()).toEqual([]);
  });
});
