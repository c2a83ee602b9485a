import type { AgentOption } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { AgentChoice } from "./agent-choice.ts";
import {
  nextMode,
  NO_SETTINGS,
  optionChoicesOf,
  settingsNote,
  toSettings,
} from "./message-settings.ts";

const option = (id: string, value: string | boolean, choices: readonly string[]): AgentOption => ({
  id,
  name: id.toUpperCase(),
  description: null,
  category: null,
  type: typeof value === "boolean" ? "boolean" : "select",
  value,
  choices: choices.map((choice) => ({ id: choice, name: `${choice}!`, description: null })),
});
const REPLY = {
  provider: "a",
  options: [
    option("mode", "ask", ["ask", "plan"]),
    option("model", "small", ["small"]),
    option("effort", "low", ["low", "high"]),
    option("fast", false, []),
  ],
};
const CHOICE: AgentChoice = { provider: "a", model: null, about: null, note: null };
const SESSION = { mode: "plan", options: { effort: "high" } };

describe("the options of the next message", () => {
  it("D3 are those of the session, which an agent may have changed", () => {
    const choices = optionChoicesOf({
      session: SESSION,
      choice: CHOICE,
      chosen: NO_SETTINGS,
      reply: REPLY,
    });
    expect(choices.mode?.value).toBe("plan");
    expect(choices.others.map(({ id, value }) => [id, value])).toEqual([
      ["effort", "high"],
      ["fast", false],
    ]);
    expect(settingsNote(choices, NO_SETTINGS)).toBeNull();
  });

  it("D3 are its own where it has some, and a note names them", () => {
    const chosen = { mode: "ask", options: { fast: true } };
    const choices = optionChoicesOf({ session: SESSION, choice: CHOICE, chosen, reply: REPLY });
    expect(choices.mode?.value).toBe("ask");
    expect(choices.others.at(-1)?.value).toBe(true);
    expect(settingsNote(choices, chosen)).toBe("Only for this message: ask!, FAST on");
  });

  it("D3 are only the modes when it goes to another agent", () => {
    const about = { modes: [{ id: "x", name: "X" }] } as unknown as AgentChoice["about"];
    const choice = { ...CHOICE, provider: "b", about };
    const choices = optionChoicesOf({
      session: SESSION,
      choice,
      chosen: NO_SETTINGS,
      reply: REPLY,
    });
    expect(choices).toMatchObject({ isSession: false, mode: { value: null }, others: [] });
  });

  it("are none when nothing valid is stored", () => {
    expect(toSettings({ mode: 5, options: [1] })).toEqual(NO_SETTINGS);
    expect(toSettings({ mode: "a", options: { b: true, c: 5 } })).toEqual({
      mode: "a",
      options: { b: true },
    });
  });
});

it("D3 the next mode is the one after the present one, and the first after the last", () => {
  const modes = ["ask", "plan", "auto"];
  expect(["ask", "auto", "gone"].map((mode) => nextMode(option("mode", mode, modes)))).toEqual([
    "plan",
    "ask",
    "ask",
  ]);
  expect(nextMode(option("mode", "ask", ["ask"]))).toBeNull();
  expect(nextMode(option("mode", "ask", []))).toBeNull();
});
