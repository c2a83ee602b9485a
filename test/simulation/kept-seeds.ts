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
  {
    reason: "a node that was paused after a hand-over gave the message with its next lease",
    from: 3_058_519,
    shows: isPausedAfterHandOver,
  },
  {
    reason: "a node that stopped and believed to be the last one suspended sessions for good",
    from: 3_011_390,
    shows: suspendsBesideAnother,
  },
  {
    reason: "sessions stayed suspended after a start on a busy database",
    from: 3_008_022,
    shows: (trace) => trace.some((line) => line.includes("not all sessions could be made active")),
  },
  {
    reason:
      "a session that was read before the run was handed over, and looked at after the run broke off",
    from: 3_051_487,
    shows: (trace) => trace.some((line) => line.includes("a run could not be ended")),
  },
  {
    reason:
      "a session that was read before the claim, when its former owner had not begun the run yet",
    from: 3_055_205,
    shows: (trace) => trace.some((line) => / claim .*"epoch":2\}/u.test(line)),
  },
  {
    reason: "the first queued message was withdrawn just before its run began, and no other began",
    from: 4_054_807,
    shows: (trace) => trace.some((line) => /commit message\.withdrawn .*"conflict"/u.test(line)),
  },
  {
    reason: "a node that lost its lease left the agent alive that it had just started",
    from: 4_005_745,
    shows: startsBeforeItGivesUp,
  },
];

/** A node gives up its work and ends an agent that has not got a message yet. */
function startsBeforeItGivesUp(trace: readonly string[]): boolean {
  return trace.some((line, index) => {
    const [, node, agent] = / (\S+) +agent (\d+) started for /u.exec(line) ?? [];
    if (node === undefined || agent === undefined) return false;
    const later = trace.slice(index);
    const gone = later.findIndex((each) => each.endsWith(`agent ${agent} is gone`));
    const life = later.slice(0, Math.max(0, gone));
    const hasGivenUp = life.some(
      (each) => each.includes(` ${node} `) && each.includes("gives up its work"),
    );
    return hasGivenUp && !life.some((each) => each.includes(`agent ${agent} gets `));
  });
}

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

/** A node that stops suspends a session, and a node that was up before works on. */
function suspendsBesideAnother(trace: readonly string[]): boolean {
  return trace.some((line, index) => {
    const [, node] = / - +(\S+) stops$/u.exec(line) ?? [];
    if (node === undefined) return false;
    const suspends = trace.findIndex(
      (each, at) =>
        at > index && each.includes(` ${node} `) && / commit session\.suspended ->/u.test(each),
    );
    if (suspends === -1) return false;
    const others = trace
      .slice(0, suspends)
      .flatMap((each) => / - +(\S+) starts$/u.exec(each)?.[1] ?? [])
      .filter((other) => other !== node);
    return others.some((other) =>
      trace.slice(suspends).some((each) => each.includes(` ${other} `)),
    );
  });
}
