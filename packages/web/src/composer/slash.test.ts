import { expect, it } from "vitest";
import { matchingCommands, slashQuery, withCommand } from "./slash.ts";

const command = (name: string) => ({ name, description: "", hint: null });

it("a command starts the message and ends at the first space", () => {
  expect(slashQuery("/", 1)).toBe("");
  expect(slashQuery("/Pl", 3)).toBe("pl");
  expect(slashQuery("/plan now", 3)).toBe("pl");
  expect(slashQuery("/plan now", 9)).toBeNull();
  expect(slashQuery("see /plan", 9)).toBeNull();
  expect(slashQuery("", 0)).toBeNull();
});

it("commands that start with the query come first", () => {
  const commands = ["replan", "plan", "help"].map(command);
  expect(matchingCommands(commands, "plan").map(({ name }) => name)).toEqual(["plan", "replan"]);
  expect(matchingCommands(commands, "")).toHaveLength(3);
  expect(matchingCommands(commands, "x")).toEqual([]);
});

it("a chosen command replaces its typed part", () => {
  expect(withCommand("/pl", command("plan"))).toEqual({ text: "/plan ", caret: 6 });
  expect(withCommand("/pl the work", command("plan"))).toEqual({
    text: "/plan the work",
    caret: 6,
  });
});
