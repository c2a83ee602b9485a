import type { FaultCounts } from "./fault-window.ts";
import type { MatrixRound } from "./matrix-round.ts";
import { FAULTS, isPossible, MOMENTS, type FaultName, type Moment } from "./matrix.ts";

/** How often each fault hit each moment, and how often that violated an invariant. */
export function matrixTable(rounds: readonly MatrixRound[]): string {
  const rows = FAULTS.map((fault) => [
    fault,
    ...MOMENTS.map((moment) => cell(rounds, fault, moment)),
  ]);
  return markdownTable(["", ...MOMENTS], rows);
}

/** The totals of all rounds. */
export function totals(rounds: readonly MatrixRound[]): readonly (readonly [string, number])[] {
  const sum = (read: (round: MatrixRound) => number): number =>
    rounds.reduce((total, round) => total + read(round), 0);
  const most = (read: (round: MatrixRound) => number): number => Math.max(0, ...rounds.map(read));
  const faultTotals = Object.entries(COUNT_NAMES).map(
    ([key, name]) => [name, sum(({ counts }) => Reflect.get(counts, key))] as const,
  );
  return [
    ["rounds", rounds.length],
    ["sessions hit in their moment", sum(({ hit }) => hit.length)],
    ["sessions no longer in their moment, not counted", sum(({ missed }) => missed.length)],
    ...faultTotals,
    ["messages acknowledged", sum(({ acknowledged }) => acknowledged)],
    ["requests refused or lost, and sent again with their key", sum(({ refused }) => refused)],
    ["reconnects of event streams", sum(({ reconnects }) => reconnects)],
    ["events received by clients", sum(({ events }) => events)],
    ["latest end of an earlier run, ms after the fault", most(({ settledMs }) => settledMs)],
    ["violations", sum(({ violations }) => violations.length)],
  ];
}

export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const all = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) =>
    Math.max(3, ...all.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [
    line(header),
    line(widths.map((width) => "-".repeat(width))),
    ...all.slice(1).map(line),
  ].join("\n");
}

const COUNT_NAMES: Readonly<Record<keyof FaultCounts, string>> = {
  randomKills: "kills of the server at a random moment",
  failpointKills: "kills of the server at a failpoint",
  agentsKilled: "agent processes killed",
  misbehaviours: "misbehaviours of agents",
  pauses: "pauses of the server",
  busyPeriods: "times another process locked the database",
  fullDisks: "times the disk was full",
  clientsCut: "clients disconnected",
  clockJumps: "jumps of the clock",
};

function cell(rounds: readonly MatrixRound[], fault: FaultName, moment: Moment): string {
  if (!isPossible(fault, moment)) return "–";
  const runs = rounds.filter((round) => round.fault === fault && round.hit.includes(moment));
  const bad = runs.filter(({ violations }) => violations.length > 0).length;
  return bad === 0 ? String(runs.length) : `${runs.length} (${bad} broken)`;
}
