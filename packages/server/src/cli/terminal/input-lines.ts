import { neutralise, neutraliseLine } from "./neutralise.ts";

/** What a tool is given, all of it: a command first, then everything else by name. */
export function inputLines(input: unknown): readonly string[] {
  if (input === null || input === undefined) return [];
  if (typeof input === "string") return neutralise(input).split("\n");
  if (typeof input !== "object" || Array.isArray(input)) return [neutralise(JSON.stringify(input))];
  const entries = Object.entries(input);
  const isCommand = ([name, value]: [string, unknown]): boolean =>
    COMMANDS.has(name) && typeof value === "string";
  return [
    ...entries.filter(isCommand).flatMap(([, value]) => commandLines(String(value))),
    ...entries.filter((entry) => !isCommand(entry)).flatMap(entryLines),
  ];
}

const COMMANDS: ReadonlySet<string> = new Set(["command", "cmd", "script"]);

function commandLines(command: string): readonly string[] {
  return neutralise(command)
    .split("\n")
    .map((line, index) => `${index === 0 ? "$" : " "} ${line}`);
}

function entryLines([name, value]: [string, unknown]): readonly string[] {
  const label = neutraliseLine(name);
  if (typeof value !== "string") return [`${label}: ${neutralise(JSON.stringify(value))}`];
  const lines = neutralise(value).split("\n");
  return lines.length === 1
    ? [`${label}: ${lines[0]}`]
    : [`${label}:`, ...lines.map((line) => `  ${line}`)];
}
