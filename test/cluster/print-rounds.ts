import { INVARIANTS } from "./invariants.ts";
import type { RoundResult } from "./round.ts";

/** All rounds together: what was tried, and how often each invariant was broken. */
export function printRounds(rounds: readonly RoundResult[]): string {
  const sum = (of: (round: RoundResult) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0);
  const most = (of: (round: RoundResult) => number): number => Math.max(0, ...rounds.map(of));
  const statuses = [...new Set(rounds.flatMap(({ runs }) => Object.keys(runs)))].toSorted();
  const rows: readonly (readonly [string, number | string])[] = [
    ["rounds", rounds.length],
    ["messages acknowledged", sum(({ acknowledged }) => acknowledged)],
    ...statuses.map((status) => [`runs ${status}`, sum(({ runs }) => runs[status] ?? 0)] as const),
    ["events seen by clients", sum(({ events }) => events)],
    ["reconnects of clients", sum(({ reconnects }) => reconnects)],
    ["prompts beside an agent that nobody could end", sum((round) => round.excusedOverlaps)],
    ["slowest request, ms", most((round) => round.slowestRequestMs)],
    ["slowest to settle, ms", most(({ settledMs }) => settledMs)],
    ...INVARIANTS.map(
      (name) => [`broken: ${name}`, sum(({ broken }) => broken[name] ?? 0)] as const,
    ),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}
