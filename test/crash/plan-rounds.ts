import type { MatrixRound } from "./matrix-round.ts";
import { planPass, type PlannedRound } from "./matrix.ts";

/** Totals that a long run must reach over all its rounds. */
export const TARGETS = ["kills", "failpoints", "disk", "misbehaviours", "reconnects"] as const;
export type Target = (typeof TARGETS)[number];
export type Targets = Readonly<Partial<Record<Target, number>>>;

export interface PlanOptions {
  /** Minimum number of rounds per cell. */
  readonly passes: number;
  readonly targets: Targets;
  readonly isWanted: (planned: PlannedRound) => boolean;
  /** All completed rounds, including those of an earlier process. Grows while the plan is executed. */
  readonly rounds: readonly MatrixRound[];
}

/** Each cell the given number of times, then only rounds that help to reach a target. */
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
    unreached(targets, rounds).some((target) => helpsToReach(target, planned));
  // Two passes: one kills at random, one at failpoints.
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

/** Parses `kills=1000,disk=50`. Returns an error message if the text is invalid. */
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

function helpsToReach(target: Target, { fault, at, failpoint }: PlannedRound): boolean {
  const isKill =
    fault.startsWith("server killed") || fault === "both killed" || fault === "second kill";
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
