import { afterEach, describe, expect, it } from "vitest";
import { startPooler } from "../../packages/server/src/storage/testing/pooler.ts";
import { Cluster } from "./cluster.ts";
import { seeded } from "./faults.ts";
import { runRound } from "./round.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe("nodes behind a connection pooler", () => {
  it("keep every promise, with a direct URL for what needs one (P1, P3, P4)", async () => {
    await keepsPromises({ isDirect: true });
  });

  it("keep them without a direct URL, when hints do not arrive (P1, P3, P4)", async () => {
    await keepsPromises({ isDirect: false });
  });
});

async function keepsPromises({ isDirect }: { readonly isDirect: boolean }): Promise<void> {
  const cluster = await Cluster.open({
    nodes: 2,
    leaseMs: 10_000,
    env: async (databaseUrl) => {
      const pooler = await startPooler(databaseUrl);
      closers.push(pooler.stop);
      return {
        HOLDFAST_DATABASE_URL: pooler.url,
        ...(isDirect && { HOLDFAST_DATABASE_DIRECT_URL: databaseUrl }),
      };
    },
  });
  closers.push(() => cluster.close());
  const { violations, runs } = await runRound(cluster, {
    faults: [
      { kind: "kill", node: null },
      { kind: "restart", node: null },
    ],
    random: seeded(3),
    sessions: 2,
  });
  expect(violations).toEqual([]);
  expect(runs["completed"]).toBeGreaterThan(4);
}
