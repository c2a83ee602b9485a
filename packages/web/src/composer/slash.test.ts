import { expect, it } from "vitest";
import { matchingCommands, slashQuery, withCommand } from "./slash.ts";

const command = (name: string) => ({ name, description: "", hint: null });

it("a command is typed only at the beginning of a message, up to its first space", () => {
  expect(slashQuery("/", 1)).toBe("");
  expect(slashQuery("/Pl", 3)).toBe("pl");
  expect(slashQuery("/plan now", 3)).toBe("pl");
  expect(slashQuery("/plan now", 9)).toBeNull();
  expect(slashQuery("see /plan", 9)).toBeNull();
  expect(slashQuery("", 0)).toBeNull();
});

it("those that begin with what was typed come first", () => {
  const commands = ["replan", "plan", "help"].map(command);
  expect(matchingCommands(commands, "plan").map(({ name }) => name)).toEqual(["plan", "replan"]);
  expect(matchingCommands(commands, "")).toHaveLength(3);
  expect(matchingCommands(commands, "x")).toEqual([]);
});

it("a chosen command takes the place of what was typed of it", () => {
  expect(withCommand("/pl", command("plan"))).toEqual({ text: "/plan ", caret: 6 });
  expect(withCommand("/pl the work", command("plan"))).toEqual({
    text: "/plan the work",
    caret: 6,
  });
});
