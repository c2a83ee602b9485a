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

function everyChange(
  law: (before: AttemptState, event: AttemptEvent, after: AttemptState) => void,
) {
  fc.assert(
    fc.property(anyEvents, (events) => {
      let state = PREPARING;
      for (const event of events) {
        const after = transition(state, event);
        law(state, event, after);
        state = after;
      }
    }),
  );
}

it("an attempt prompts its agent only after a hand-over was stored, once for each", () => {
  everyChange((before, event, after) => {
    const isPrompt = after.is === "prompted" && before.is !== "prompted";
    if (isPrompt) expect([before.is, event.type]).toEqual(["handing", "prompt"]);
  });
});

it("an attempt forgets the tools of an earlier try", () => {
  everyChange((before, event, after) => {
    if (event.type === "prompt" && before.is === "handing")
      expect(after).toMatchObject({ is: "prompted", hasUsedTools: false });
  });
});

it("an attempt that has ended or is broken is never handed over again", () => {
  everyChange((before, event, after) => {
    if (before.is === "broken") expect(after).toBe(before);
    if (before.is === "ended" && event.type !== "break") expect(after.is).toBe("ended");
  });
});

it("every attempt can end, and can break", () => {
  everyChange((_, __, after) => {
    if (after.is !== "preparing" && after.is !== "broken")
      expect(transition(after, { type: "end" }).is).toBe("ended");
    expect(transition(after, { type: "break", error: null }).is).toBe("broken");
  });
});
