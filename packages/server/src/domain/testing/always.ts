import fc from "fast-check";
import { anyIntents } from "./intent.ts";
import { walk, type Step } from "./walk.ts";

/** Each law is tried on this many lives of a session, of up to 30 commands. */
const LIVES = 10_000;

/** `keep` sees every value on its way to the kernel. */
export function always(law: (steps: readonly Step[]) => void, keep?: <T>(value: T) => T): void {
  fc.assert(
    fc.property(anyIntents({ max: 30 }), (intents) => law(walk(intents, keep))),
    { numRuns: LIVES },
  );
}

export function everyStep(law: (step: Step, index: number) => void): void {
  always((steps) => steps.forEach(law));
}
