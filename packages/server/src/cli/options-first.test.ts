import { describe, expect, it } from "vitest";
import { commandFirst } from "./options-first.ts";
import { program } from "./program.ts";

const order = async (line: string): Promise<string> =>
  commandFirst(await program([]), line.split(" ")).join(" ");

describe("options before a command", () => {
  it.each([
    ["--json list", "list --json"],
    ["--data folder list --limit 3", "list --data folder --limit 3"],
    ["--data=folder list", "list --data=folder"],
    ["--json repos --data folder add .", "repos add --json --data folder ."],
    ["-y delete ID", "delete -y ID"],
    ["--help send", "send --help"],
  ])("%s means %s", async (line, expected) => {
    expect(await order(line)).toBe(expected);
  });

  it.each([
    "list --json",
    "send ID list",
    "send ID --provider get text",
    "repos --json",
    "--version",
    "--data list",
    "nothing --json list",
    "-- list",
  ])("%s stays as it is", async (line) => {
    expect(await order(line)).toBe(line);
  });

  it("have a value in all commands or in none", async () => {
    const takes = new Map<string, boolean>();
    const visit = (command: Awaited<ReturnType<typeof program>>): void => {
      for (const { long, required } of command.options) {
        expect(takes.get(long ?? "") ?? required, long).toBe(required);
        takes.set(long ?? "", required);
      }
      command.commands.forEach(visit);
    };
    visit(await program([]));
  });
});
