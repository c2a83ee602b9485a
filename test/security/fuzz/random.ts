/** Reproducible random choices: the same seed makes the same choices. */
export interface Random {
  readonly seed: number;
  /** From 0 to below 1. */
  next(): number;
  /** From 0 to below the limit. */
  below(limit: number): number;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
  chance(probability: number): boolean;
}

/** A new seed, or FUZZ_SEED to repeat a run. Prints the seed. */
export function seedFor(name: string): number {
  const fixed = Number(process.env["FUZZ_SEED"]);
  const seed = Number.isSafeInteger(fixed) && fixed > 0 ? fixed : Date.now() % 2 ** 31;
  process.stdout.write(`${name}: FUZZ_SEED=${seed}\n`);
  return seed;
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    next,
    below,
    pick: (values) => values[below(values.length)] ?? values[0],
    chance: (probability) => next() < probability,
  };
}
