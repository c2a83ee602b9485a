import {
  addToTally,
  createTally,
  durationsOf,
  endedIn,
  totalsOf,
  type Durations,
  type EndedRun,
  type RunTotals,
} from "./stats-tally.ts";

/** Sessions and runs of one agent, of one provider, or all together. */
export interface StatsGroup extends RunTotals {
  /** The agent's name, or the provider's; null for runs without one, and for all together. */
  readonly name: string | null;
  readonly sessions: number;
  readonly runs: number;
  /** All errors of these sessions, also outside the range. */
  readonly errors: number;
  /** Durations of the runs. */
  readonly durationMs: Durations | null;
}

export function createGroup(name: string | null) {
  const tally = createTally();
  const durationsMs: number[] = [];
  let sessions = 0;
  let errors = 0;
  return {
    addSession({ errorTotal }: { readonly errorTotal: number }): void {
      sessions += 1;
      errors += errorTotal;
    },
    addRun(run: EndedRun): void {
      addToTally(tally, run);
      durationsMs.push(run.durationMs);
    },
    read: (): StatsGroup => ({
      name,
      sessions,
      runs: endedIn(tally),
      ...totalsOf(tally),
      errors,
      durationMs: durationsOf(durationsMs),
    }),
  };
}

/** Groups by name, created on first use. */
export function createGroups() {
  const groups = new Map<string | null, ReturnType<typeof createGroup>>();
  return {
    of(name: string | null) {
      const group = groups.get(name) ?? createGroup(name);
      groups.set(name, group);
      return group;
    },
    /** Most used first. */
    read: (): readonly StatsGroup[] =>
      [...groups.values()]
        .map((group) => group.read())
        .toSorted(
          (left, right) =>
            right.runs - left.runs ||
            right.sessions - left.sessions ||
            (left.name ?? "").localeCompare(right.name ?? ""),
        ),
  };
}
