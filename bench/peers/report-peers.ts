import { figure } from "../floor/report-floor.ts";
import { describeMachine } from "../machine.ts";
import type { Report } from "../report.ts";
import { PEER_MEASURE_IDS, PEER_MEASURES } from "./measures.ts";
import type { PeerColumn, PeerComparison } from "./peers-bench.ts";

export function reportPeers(comparison: PeerComparison | null): Report | null {
  if (comparison === null) return null;
  const { columns, repetitions, noise, failures } = comparison;
  const rows = PEER_MEASURE_IDS.map((id) => {
    const { name, unit } = PEER_MEASURES[id];
    const cells = columns.map(({ medians: { [id]: value } }) =>
      value === undefined ? "–" : figure(value),
    );
    return [name, unit, ...cells];
  });
  return {
    tables: [{ head: ["", "unit", ...columns.map(({ name }) => name)], rows, left: [0, 1] }],
    notes: [
      `Measured on ${today()} on ${describeMachine()}. Each figure is ${repetitions === 1 ? "of one repetition" : `the median of ${repetitions} repetitions`}. ${describeLong(columns)}`,
      ...failures,
      noise.warning ?? "The machine was quiet.",
    ],
    figures: comparison,
    missed: [],
  };
}

const today = (): string => new Date().toISOString().slice(0, 10);

function describeLong(columns: readonly PeerColumn[]): string {
  const counts = columns.map(
    ({ name, longMessages }) => `${longMessages.toLocaleString("en")} in ${name}`,
  );
  return `The long conversation had this many messages: ${counts.join(", ")}.`;
}
