import type { MatrixRound } from "./matrix-round.ts";
import { planPass, type PlannedRound } from "./matrix.ts";

/** What a long run must have reached, each counted over all its rounds. */
export const TARGETS = ["kills", "failpoints", "disk", "misbehaviours", "reconnects"] as const;
export type Target = (typeof TARGETS)[number];
export type Targets = Readonly<Partial<Record<Target, number>>>;

export interface PlanOptions {
  /** How often each cell is run, whatever the targets are. */
  readonly passes: number;
  readonly targets: Targets;
  readonly isWanted: (planned: PlannedRound) => boolean;
  /** All that have been run, also in an earlier process; it grows while the plan is gone through. */
  readonly rounds: readonly MatrixRound[];
}

/** Each cell so many times; then only what brings a target nearer that has not been reached. */
export function* planRounds({
  passes,
  targets,
  isWanted,
  rounds,
}: PlanOptions): Generator<PlannedRound> {
  const always = Array.from({ length: passes }, (_, pass) => planPass(pass))
    .flat()
    .filter(isWanted);
  yield* always.slice(rounds.length);
  const helps = (planned: PlannedRound): boolean =>
    unreached(targets, rounds).some((target) => isNearer(target, planned));
  // Two passes: one at random, one at named places.
  for (let pass = passes + rounds.length; ; pass += 2) {
    const next = [...planPass(pass), ...planPass(pass + 1)].filter(isWanted);
    if (!next.some(helps)) return;
    for (const planned of next) if (helps(planned)) yield planned;
  }
}

export function unreached(targets: Targets, rounds: readonly MatrixRound[]): readonly Target[] {
  return TARGETS.filter((target) => {
    const reached = rounds.reduce((sum, round) => sum + countOf(target, round), 0);
    return reached < (targets[target] ?? 0);
  });
}

/** As in `kills=1000,disk=50`; a text when it cannot be understood. */
export function parseTargets(text: string): Targets | string {
  const pairs = text.split(",").map((part) => part.split("="));
  const wrong = pairs.find(
    ([name, count]) => !TARGETS.some((target) => target === name) || !/^\d+$/u.test(count ?? ""),
  );
  if (wrong !== undefined)
    return `"${wrong.join("=")}" is not one of ${TARGETS.join(", ")} with a number.`;
  return Object.fromEntries(pairs.map(([name, count]) => [name, Number(count)]));
}

function countOf(target: Target, { counts, reconnects }: MatrixRound): number {
  switch (target) {
    case "kills":
      return counts.randomKills;
    case "failpoints":
      return counts.failpointKills;
    case "disk":
      return counts.fullDisks;
    case "misbehaviours":
      return counts.misbehaviours;
    case "reconnects":
      return reconnects;
    default:
      return target satisfies never;
  }
}

function isNearer(target: Target, { fault, at, failpoint }: PlannedRound): boolean {
  const isKill = fault === "server killed" || fault === "both killed" || fault === "second kill";
  switch (target) {
    case "kills":
      return isKill && at === "serving" && failpoint === null;
    case "failpoints":
      return failpoint !== null;
    case "disk":
      return fault === "disk full" && at === "serving";
    case "misbehaviours":
      return fault === "agent misbehaves" && at === "serving";
    case "reconnects":
      return fault === "client gone" && at === "serving";
    default:
      return target satisfies never;
  }
}
