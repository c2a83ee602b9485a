import type { PhaseStats, Stats, StatsGroup } from "@holdfast/protocol";
import { capital } from "../api/session-name.ts";
import { costText, countText, rateText, timeText, tokensText } from "./value-text.ts";

/** A breakdown by a dimension: bars, and a table with all values. */
export interface Breakdown {
  readonly title: string;
  readonly description: string;
  readonly bars: readonly Bar[];
  readonly columns: readonly [string, ...string[]];
  /** The first cell is the row's name. */
  readonly rows: readonly (readonly string[])[];
  /** Shown when there are no bars. */
  readonly emptyText: string;
}

interface Bar {
  readonly name: string;
  /** The share of the longest bar. */
  readonly share: number;
  readonly text: string;
}

export function breakdownsOf(
  { byAgent, byProvider, byPhase }: Stats,
  providerTitles: ReadonlyMap<string, string>,
): readonly Breakdown[] {
  return [
    {
      ...groupsOf(byAgent, (name) => name ?? "Unnamed agent", "Agent"),
      title: "By agent",
      emptyText: "No agent ended a run.",
    },
    {
      ...groupsOf(
        byProvider,
        (name) => (name === null ? "None" : (providerTitles.get(name) ?? name)),
        "Provider",
      ),
      title: "By provider",
      emptyText: "No provider ended a run.",
    },
    phasesOf(byPhase),
  ];
}

function groupsOf(
  groups: readonly StatsGroup[],
  nameOf: (name: string | null) => string,
  kind: string,
): Omit<Breakdown, "title" | "emptyText"> {
  const most = Math.max(...groups.map(({ runs }) => runs), 1);
  return {
    description: "Runs, and how many of them completed.",
    bars: groups.map(({ name, runs, successRate }) => ({
      name: nameOf(name),
      share: runs / most,
      text: [countOf(runs), ...(successRate === null ? [] : [rateText(successRate)])].join(", "),
    })),
    columns: [
      kind,
      "Sessions",
      "Runs",
      "Completed",
      "Failed",
      "Stopped",
      "Interrupted",
      "Success",
      "Errors",
      "Median time",
      "Tokens in",
      "Tokens out",
      "Cost",
    ],
    rows: groups.map((group) => [
      nameOf(group.name),
      ...[group.sessions, group.runs, group.completed, group.failed, group.cancelled].map(
        countText,
      ),
      countText(group.interrupted),
      rateText(group.successRate),
      countText(group.errors),
      timeText(group.durationMs?.median ?? null),
      tokensText(group.inputTokens),
      tokensText(group.outputTokens),
      costText(group.cost),
    ]),
  };
}

function phasesOf(phases: readonly PhaseStats[]): Breakdown {
  const timed = phases.flatMap(({ phase, durationMs }) =>
    durationMs === null ? [] : [{ phase, durationMs }],
  );
  const most = Math.max(...timed.map(({ durationMs }) => durationMs.total), 1);
  return {
    title: "By phase",
    description: "Time that sessions spent in each phase, all together.",
    bars: timed.map(({ phase, durationMs }) => ({
      name: capital(phase),
      share: durationMs.total / most,
      text: `${timeText(durationMs.total)}, median ${timeText(durationMs.median)}`,
    })),
    columns: ["Phase", "Sessions", "Time", "Median", "Mean", "Errors"],
    rows: phases.map(({ phase, sessions, durationMs, errors }) => [
      capital(phase),
      countText(sessions),
      timeText(durationMs?.total ?? null),
      timeText(durationMs?.median ?? null),
      timeText(durationMs?.mean ?? null),
      countText(errors),
    ]),
    emptyText: "No session spent time in a phase.",
  };
}

function countOf(runs: number): string {
  return runs === 1 ? "1 run" : `${countText(runs)} runs`;
}
