import { readFileSync } from "node:fs";
import path from "node:path";

export interface DocumentedCommand {
  /** `repos add` */
  readonly name: string;
  /** The description of its JSON. */
  readonly json: string;
  /** The names in code style in that description. */
  readonly fields: readonly string[];
  readonly exitCodes: readonly number[];
}

const FILE = path.resolve(import.meta.dirname, "../../docs/command-line-json.md");

/** The table of commands in docs/command-line-json.md. */
export function documentedCommands(): readonly DocumentedCommand[] {
  const [, table = ""] = readFileSync(FILE, "utf8").split("\n## Commands\n");
  return table
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, name = "", json = "", codes = ""] = line.split("|").map((cell) => cell.trim());
      return {
        name: name.replaceAll("`", ""),
        json,
        fields: [...json.matchAll(/`(\w+)`/gu)].map(([, field = ""]) => field),
        exitCodes: codes.split(", ").map(Number),
      };
    });
}
