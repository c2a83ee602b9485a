/** A simulation that once broke a law. */
interface KeptSeed {
  /** What was wrong. */
  readonly reason: string;
  /** The first seed that shows it. */
  readonly from: number;
  /** Whether a simulation comes into the situation. A change of the program may lead a seed elsewhere; a later one then does. */
  readonly shows: (trace: readonly string[]) => boolean;
}

export const KEPT_SEEDS: readonly KeptSeed[] = [
  {
    reason: "a node that was paused after a hand-over gave the message after its lease",
    from: 12,
    shows: isPausedAfterHandOver,
  },
];

/** Another node gives a message to an agent before the paused one notices that its lease is over. */
function isPausedAfterHandOver(trace: readonly string[]): boolean {
  return trace.some((line, index) => {
    const [, node] = / (\S+) pauses for /u.exec(line) ?? [];
    if (node === undefined || trace[index - 1]?.includes("commit run.handed") !== true)
      return false;
    const later = trace.slice(index);
    const lost = later.findIndex(
      (each) => each.includes(` ${node} `) && each.includes("gives up its work"),
    );
    return later.slice(0, Math.max(0, lost)).some((each) => /agent \d+ gets m/u.test(each));
  });
}
