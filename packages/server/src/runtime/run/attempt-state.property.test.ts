import fc from "fast-check";
import { expect, it } from "vitest";
import type { Agent } from "../../providers/provider.ts";
import { PREPARING, transition, type AttemptEvent, type AttemptState } from "./attempt-state.ts";
import type { RunPrompt } from "./run-prompt.ts";

const agent = {} as Agent;
const prompt = { parts: [], tells: [], memory: { how: "live" } } as unknown as RunPrompt;

const anyEvents: fc.Arbitrary<readonly AttemptEvent[]> = fc.array(
  fc.constantFrom<AttemptEvent>(
    { type: "hand", agent, prompt },
    { type: "prompt" },
    { type: "use-tool" },
    { type: "pause" },
    { type: "end" },
    { type: "break", error: new Error("the disk is full") },
  ),
  { maxLength: 20 },
);

interface Change {
  readonly before: AttemptState;
  readonly event: AttemptEvent;
  readonly after: AttemptState;
}

/** The changes that break the law, of all attempts that are tried. */
function breaches(law: (change: Change) => boolean): readonly Change[] {
  const found: Change[] = [];
  fc.assert(
    fc.property(anyEvents, (events) => {
      let state = PREPARING;
      for (const event of events) {
        const change = { before: state, event, after: transition(state, event) };
        if (!law(change)) found.push(change);
        state = change.after;
      }
    }),
  );
  return found;
}

it("an attempt prompts its agent only after a hand-over was stored, once for each", () => {
  const broken = breaches(({ before, event, after }) => {
    const isPrompted = after.is === "prompted" && before.is !== "prompted";
    return !isPrompted || (before.is === "handing" && event.type === "prompt");
  });
  expect(broken).toEqual([]);
});

it("an attempt forgets the tools of an earlier try", () => {
  const broken = breaches(
    ({ before, after }) =>
      before.is !== "handing" || after.is !== "prompted" || !after.hasUsedTools,
  );
  expect(broken).toEqual([]);
});

it("an attempt that has ended or is broken is never handed over again", () => {
  const broken = breaches(({ before, event, after }) => {
    if (before.is === "broken") return after === before;
    return before.is !== "ended" || event.type === "break" || after.is === "ended";
  });
  expect(broken).toEqual([]);
});

it("every attempt can end, and can break", () => {
  const broken = breaches(({ after }) => {
    const isOver = after.is === "preparing" || after.is === "broken";
    const canEnd = isOver || transition(after, { type: "end" }).is === "ended";
    return canEnd && transition(after, { type: "break", error: null }).is === "broken";
  });
  expect(broken).toEqual([]);
});
