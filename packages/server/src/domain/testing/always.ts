import fc from "fast-check";
import { anyIntents } from "./intent.ts";
import { repeat } from "./repeat.ts";
import { walk, type Step } from "./walk.ts";

/** Each law is checked on this many random histories of up to 30 commands. */
const LIVES = repeat({ short: 1_000, long: 10_000 });

/** Enough for even the rarest refusal. */
export const LIVES_THAT_MEET_ALL = 10_000;

/** Every value passes through `keep` before the kernel gets it. */
export function always(
  law: (steps: readonly Step[]) => void,
  { keep, lives = LIVES }: { readonly keep?: <T>(value: T) => T; readonly lives?: number } = {},
): void {
  fc.assert(
    fc.property(anyIntents({ max: 30 }), (intents) => law(walk(intents, keep))),
    { numRuns: lives },
  );
}

export function everyStep(
  law: (step: Step, index: number) => void,
  options: { readonly lives?: number } = {},
): void {
  always((steps) => steps.forEach(law), options);
}
