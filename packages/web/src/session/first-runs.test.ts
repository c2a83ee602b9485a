import { expect, it } from "vitest";
import { readFirstRuns } from "./first-runs.ts";
import { sampleRun } from "./testing/samples.ts";

const { signal } = new AbortController();

it("D7 the list of runs is read page by page, up to a limit", async () => {
  const cursors: unknown[] = [];
  const listOf = (pages: number) => ({
    runs: async (_: string, { cursor }: { readonly cursor?: string | undefined } = {}) => {
      cursors.push(cursor);
      const page = Number(cursor ?? 0);
      const runs = [{ ...sampleRun(`r${page}`), suspensions: [] }];
      return { runs, nextCursor: page + 1 < pages ? String(page + 1) : null };
    },
  });
  const all = await readFirstRuns(listOf(2), { id: "s", signal });
  expect([all.runs.map(({ id }) => id), all.complete]).toEqual([["r0", "r1"], true]);
  expect(cursors).toEqual([undefined, "1"]);
  const some = await readFirstRuns(listOf(1_000), { id: "s", signal });
  expect([some.runs.length, some.complete]).toEqual([5, false]);
});
