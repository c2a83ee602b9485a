import fc from "fast-check";
import { anyIntents } from "./intent.ts";
import { repeat } from "./repeat.ts";
import { walk, type Step } from "./walk.ts";

/** Each law is tried on this many lives of a session, of up to 30 commands. */
const LIVES = repeat({ short: 1_000, long: 10_000 });

/** Enough that even the rarest refusal is met in every run. */
export const LIVES_THAT_MEET_ALL = 10_000;

/** `keep` sees every value on its way to the kernel. */
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
