import { percentileOf } from "../measure.ts";
import { verdict, type Report } from "../report.ts";
import type { ChangesFigures } from "./changes-bench.ts";

/** Times `git status` that a snapshot may take. */
const GOAL = 2;
const MIB = 2 ** 20;

export function reportChanges(figures: ChangesFigures): Report {
  const { snapshotMs, keptMs, statusMs, changesMs, firstMs } = figures;
  const [snapshot, kept, status, changes] = [snapshotMs, keptMs, statusMs, changesMs].map((times) =>
    percentileOf(times, 0.5),
  );
  const statusMedian = status ?? Number.NaN;
  const isReached = (snapshot ?? Number.NaN) <= GOAL * statusMedian;
  const row = (
    name: string,
    ms: number | undefined,
    goal = "–",
    reached: boolean | null = null,
  ) => [
    name,
    (ms ?? Number.NaN).toFixed(0),
    `${((ms ?? Number.NaN) / statusMedian).toFixed(2)}×`,
    goal,
    verdict(reached),
  ];
  const memory = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;
  const { snapshotMemory, statusMemory } = figures;
  return {
    tables: [
      {
        head: ["", "ms, p50", "of `git status`", "goal", ""],
        rows: [
          row("`git status`", status),
          row(SNAPSHOT, snapshot, `≤ ${GOAL}×`, isReached),
          row("the same, until a ref keeps it", kept),
          row("the changed files since the snapshot before", changes),
          row("the first snapshot", firstMs),
        ],
        left: [0, 4],
      },
    ],
    notes: [
      `${figures.files.toLocaleString("en")} files, ${figures.touched} of them changed in each of ${statusMs.length} turns. Both in the same repository, one after the other.`,
      `Memory at its highest, RSS: all processes of Git for a snapshot ${memory(snapshotMemory.childrenBytes)}, \`git status\` ${memory(statusMemory.childrenBytes)}; Node grew by ${memory(snapshotMemory.grownBytes)}.`,
      figures.noise.warning ?? "The machine was quiet.",
    ],
    figures,
    missed: isReached ? [] : [SNAPSHOT],
  };
}

const SNAPSHOT = "a snapshot after a turn";
