import { describe, expect, it } from "vitest";
import { changedValues, learnAbout, NOTHING_KNOWN, offerOf } from "./about.ts";

describe("the options of an agent", () => {
  it("D3 are of all kinds, and the agent can change them", () => {
    const configOptions = (effort: string, fast: boolean): object => ({
      configOptions: [
        {
          id: "mode",
          category: "mode",
          type: "select",
          currentValue: "ask",
          options: [{ value: "ask" }],
        },
        {
          id: "effort",
          name: "Effort",
          description: "How much it thinks",
          category: "thought_level",
          type: "select",
          currentValue: effort,
          options: [{ group: "g", options: [{ value: "low" }, { value: "high", name: "High" }] }],
        },
        { id: "fast", type: "boolean", currentValue: fast },
        { id: "strange", type: "slider", currentValue: 5 },
        { id: "", type: "boolean", currentValue: true },
      ],
    });
    const before = learnAbout(NOTHING_KNOWN, configOptions("low", false));
    expect(offerOf(before).options.map(({ id, value }) => [id, value])).toEqual([
      ["mode", "ask"],
      ["effort", "low"],
      ["fast", false],
    ]);
    expect(offerOf(before).options[1]).toEqual({
      id: "effort",
      name: "Effort",
      description: "How much it thinks",
      category: "thought_level",
      type: "select",
      value: "low",
      choices: [
        { id: "low", name: "low", description: null },
        { id: "high", name: "High", description: null },
      ],
    });
    expect(changedValues(before, learnAbout(before, configOptions("low", false)))).toBeNull();
    const after = learnAbout(learnAbout(before, configOptions("high", true)), {
      sessionUpdate: "current_mode_update",
      currentModeId: "plan",
    });
    expect(changedValues(before, after)).toEqual({
      mode: "plan",
      options: { effort: "high", fast: true },
    });
  });
});
