/** One request of a client: when it was sent, when its reply came, and what the reply said. */
export interface Operation<Call> {
  readonly call: Call;
  readonly from: number;
  /** Infinity if no reply came: it may have happened at any time since, or not at all. */
  readonly to: number;
}

/** The object that the requests act on, without concurrency. */
export interface Model<State, Call> {
  readonly initial: State;
  /**
   * The state after the call, or null if the call cannot have had its outcome in this state. The same object if the call
   * changes nothing.
   */
  readonly apply: (state: State, call: Call) => State | null;
  /** Whether the call, with its outcome, changes nothing in any state. */
  readonly isObservation: (call: Call) => boolean;
  /** Equal states have equal keys. */
  readonly keyOf: (state: State) => string;
}

export type Linearizable<Call> =
  | { readonly is: "linearizable" }
  /** `stuck`: the operations of which one had to be next, and none could be. */
  | { readonly is: "violated"; readonly stuck: readonly Operation<Call>[] }
  /** Not decided within the limit of steps. */
  | { readonly is: "unknown" };

/** More than the longest history of a test needs. */
const MAX_STEPS = 200_000;

/**
 * Whether there is one order of all operations that the model allows and that agrees with their times: the search of Wing
 * and Gong, which remembers the configurations it has seen (Lowe). An operation without a reply may be left out.
 */
export function checkLinearizable<State, Call>(
  { initial, apply, isObservation, keyOf }: Model<State, Call>,
  history: readonly Operation<Call>[],
  maxSteps = MAX_STEPS,
): Linearizable<Call> {
  const operations = history.toSorted((a, b) => a.from - b.from);
  const mustHappen = operations.filter(({ to }) => to !== Infinity).length;
  const seen = new Set<string>();
  let visited = 0;
  let best = { done: -1, stuck: [] as readonly Operation<Call>[] };

  const visit = (state: State, done: readonly boolean[], left: number): boolean | null => {
    if (left === 0) return true;
    const key = `${done.map((isDone) => (isDone ? "1" : "0")).join("")} ${keyOf(state)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    if ((visited += 1) > maxSteps) return null;
    const open = operations.flatMap((operation, index) =>
      done[index] === true ? [] : [{ operation, index }],
    );
    // Whatever comes next was sent before the first reply that is still to come.
    const firstReply = Math.min(...open.map(({ operation }) => operation.to));
    const next = open
      .filter(({ operation }) => operation.from <= firstReply)
      .toSorted((a, b) => a.operation.to - b.operation.to);
    const steps = next.flatMap(({ operation, index }) => {
      const after = apply(state, operation.call);
      if (after === null) return [];
      const stillLeft = left - (operation.to === Infinity ? 0 : 1);
      const isHarmless = after === state && isObservation(operation.call);
      return { isHarmless, go: () => visit(after, done.with(index, true), stillLeft) };
    });
    // An observation is in nobody's way: if it can be next, it need not be tried later.
    const harmless = steps.find(({ isHarmless }) => isHarmless);
    if (harmless !== undefined) return harmless.go();
    for (const { go } of steps) {
      const found = go();
      if (found !== false) return found;
    }
    const depth = mustHappen - left;
    if (depth > best.done) best = { done: depth, stuck: next.map(({ operation }) => operation) };
    return false;
  };

  const none = operations.map(() => false);
  const found = visit(initial, none, mustHappen);
  if (found === null) return { is: "unknown" };
  return found ? { is: "linearizable" } : { is: "violated", stuck: best.stuck };
}
