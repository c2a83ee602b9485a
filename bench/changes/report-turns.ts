import { percentileOf } from "../measure.ts";
import type { Report } from "../report.ts";
import { TURN_FOLDERS, type TurnsFigures, type TurnTimes } from "./turns-bench.ts";

const MEASURES: readonly (readonly [name: string, of: keyof TurnTimes])[] = [
  ["POST message → agent reads it", "toAgentMs"],
  ["last word of the agent → run ended, nothing changed", "toEndMs"],
  ["the same, files changed", "toEndOfChangeMs"],
];

/** Medians of messages in folders with snapshots, compared with the folder without. */
export function reportTurns(figures: TurnsFigures): Report {
  const rows = figures.servers.flatMap(({ isSandboxed, folders }) =>
    MEASURES.map(([name, of]) => {
      const [without = Number.NaN, ...others] = folders.map((times) =>
        percentileOf(times[of], 0.5),
      );
      const added = others.flatMap((median) => [
        figure(median),
        `+${figure(median - without)}`,
        `${(median / without).toFixed(1)}×`,
      ]);
      return [`${name}${isSandboxed ? ", in the sandbox" : ""}`, figure(without), ...added];
    }),
  );
  const heads = TURN_FOLDERS.flatMap((files) =>
    files === null ? ["no Git"] : [`${files.toLocaleString("en")} files`, "", ""],
  );
  return {
    tables: [{ head: ["ms, p50", ...heads], rows, left: [0] }],
    notes: [
      `${figures.messages} messages to a live agent in each folder, in turns; every other one changes ${figures.touched} files.`,
      figures.noise.warning ?? "The machine was quiet.",
    ],
    figures,
    missed: [],
  };
}

function figure(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3);
}
