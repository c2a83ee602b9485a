import { durationsOf, type Durations } from "../upkeep/durations.ts";
import {
  addToTally,
  createTally,
  endedIn,
  rateOf,
  toCost,
  type EndedRun,
  type Tally,
} from "./stats-tally.ts";

/** Sessions and runs of one agent, of one provider, or of all. */
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
  /** Of these sessions, whenever they happened. */
  readonly errors: number;
  /** From start to end of its runs. */
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

/** Groups by name, made when first asked for. */
export interface Groups {
  of(name: string | null): Group;
  /** Most used first. */
  read(): readonly StatsGroup[];
}

export function createGroups(): Groups {
  const groups = new Map<string | null, Group>();
  return {
    of(name) {
      const known = groups.get(name);
      if (known !== undefined) return known;
      const added = createGroup(name);
      groups.set(name, added);
      return added;
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
