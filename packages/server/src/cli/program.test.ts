import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { program } from "./program.ts";

const whole = await program([]);

describe("the command line", () => {
  it.each(whole.commands.map((command) => [command.name(), command] as const))(
    "has %s also when only its group is added",
    async (name, command) => {
      const part = await program([name]);
      const same = part.commands.find((each) => each.name() === name);
      expect(same && helpOf(same)).toEqual(helpOf(command));
      expect(part.commands.length).toBeLessThan(whole.commands.length);
    },
  );

  it("is whole unless its first word is a command", async () => {
    for (const argv of [["--data", "/x", "get", "ID"], ["help", "get"], ["gte"], ["--help"]])
      expect((await program(argv)).commands).toHaveLength(whole.commands.length);
  });
});

function helpOf(command: Command): readonly string[] {
  return [command.helpInformation(), ...command.commands.flatMap(helpOf)];
}
