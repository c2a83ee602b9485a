import {
  addToTally,
  createTally,
  durationsOf,
  endedIn,
  rateOf,
  toCost,
  type Durations,
  type EndedRun,
  type Tally,
} from "./stats-tally.ts";

/** Sessions and runs of one agent, of one provider, or all together. */
export interface StatsGroup {
  /** The agent's name, or the provider's; null for runs without one, and for all together. */
  readonly name: string | null;
  readonly sessions: number;
  readonly runs: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly successRate: number | null;
  /** All errors of these sessions, also outside the range. */
  readonly errors: number;
  /** Durations of the runs. */
  readonly durationMs: Durations | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
}

export interface Group {
  addSession(session: { readonly errorTotal: number }): void;
  addRun(run: EndedRun): void;
  read(): StatsGroup;
}

export function createGroup(name: string | null): Group {
  const tally: Tally = createTally();
  const durationsMs: number[] = [];
  let sessions = 0;
  let errors = 0;
  return {
    addSession({ errorTotal }) {
      sessions += 1;
      errors += errorTotal;
    },
    addRun(run) {
      addToTally(tally, run);
      durationsMs.push(run.durationMs);
    },
    read: () => ({
      name,
      sessions,
      runs: endedIn(tally),
      ...tally,
      successRate: rateOf(tally.completed, endedIn(tally)),
      errors,
      durationMs: durationsOf(durationsMs),
      cost: toCost(tally.cost),
    }),
  };
}

/** Groups by name, created on first use. */
export interface Groups {
  of(name: string | null): Group;
  /** Most used first. */
  read(): readonly StatsGroup[];
}

export function createGroups(): Groups {
  const groups = new Map<string | null, Group>();
  return {
    of(name) {
      const group = groups.get(name) ?? createGroup(name);
      groups.set(name, group);
      return group;
    },
    read: () =>
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
