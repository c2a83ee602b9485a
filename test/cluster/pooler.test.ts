import { afterEach, describe, expect, it, type TestContext } from "vitest";
import { Cluster } from "./cluster.ts";
import { seeded } from "./faults.ts";
import { findPooler, startPooler } from "./pooler.ts";
import { runRound } from "./round.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe("nodes behind a connection pooler", () => {
  it("keep every promise, with a URL past it for what needs one (P1, P3, P4)", async ({ skip }) => {
    await keepsPromises({ isDirect: true, skip });
  });

  it("keep them without such a URL, where hints do not arrive (P1, P3, P4)", async ({ skip }) => {
    await keepsPromises({ isDirect: false, skip });
  });
});

async function keepsPromises({
  isDirect,
  skip,
}: { readonly isDirect: boolean } & Pick<TestContext, "skip">): Promise<void> {
  const program = findPooler();
  if (program === null) return skip("pgbouncer is not installed here");
  const cluster = await Cluster.open({
    nodes: 2,
    leaseMs: 3_000,
    env: async (databaseUrl) => {
      const pooler = await startPooler(program, databaseUrl);
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
