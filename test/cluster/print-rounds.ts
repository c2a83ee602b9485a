import { INVARIANTS } from "./invariants.ts";
import type { RoundResult } from "./round.ts";

/** The totals of all rounds, and how often each invariant was violated. */
export function printRounds(rounds: readonly RoundResult[]): string {
  const sum = (read: (round: RoundResult) => number): number =>
    rounds.reduce((total, round) => total + read(round), 0);
  const most = (read: (round: RoundResult) => number): number => Math.max(0, ...rounds.map(read));
  const statuses = [...new Set(rounds.flatMap(({ runs }) => Object.keys(runs)))].toSorted();
  const rows: readonly (readonly [string, number | string])[] = [
    ["rounds", rounds.length],
    ["messages acknowledged", sum(({ acknowledged }) => acknowledged)],
    ...statuses.map((status) => [`runs ${status}`, sum(({ runs }) => runs[status] ?? 0)] as const),
    ["events seen by clients", sum(({ events }) => events)],
    ["reconnects of clients", sum(({ reconnects }) => reconnects)],
    ["prompts while another agent could not be stopped", sum((round) => round.excusedOverlaps)],
    ["slowest request, ms", most((round) => round.slowestRequestMs)],
    ["longest time to settle, ms", most(({ settledMs }) => settledMs)],
    ...INVARIANTS.map(
      (name) => [`violated: ${name}`, sum(({ broken }) => broken[name] ?? 0)] as const,
    ),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}
