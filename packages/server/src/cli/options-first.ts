import type { Command } from "commander";
import { subcommand } from "./failure/wrong-usage.ts";

/**
 * Moves options that are written before a command behind it: `--data X repos --json add PATH` becomes
 * `repos add --data X --json PATH`. Without a command, the words stay as they are.
 */
export function commandFirst(program: Command, argv: readonly string[]): readonly string[] {
  const takesValue = optionsWithValue(program);
  const options: string[] = [];
  const names: string[] = [];
  let command = program;
  let index = 0;
  /** The number of words up to the last name, so that options after it stay where they are. */
  let used = 0;
  let usedOptions = 0;
  for (; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === "--") break;
    if (word.startsWith("-") && word !== "-") {
      options.push(word);
      const value = argv[index + 1];
      if (takesValue.has(word) && value !== undefined) {
        options.push(value);
        index += 1;
      }
      continue;
    }
    const next = subcommand(command, word);
    if (next === undefined) break;
    command = next;
    names.push(word);
    used = index + 1;
    usedOptions = options.length;
  }
  return names.length === 0
    ? argv
    : [...names, ...options.slice(0, usedOptions), ...argv.slice(used)];
}

function optionsWithValue(command: Command): ReadonlySet<string> {
  const flags = new Set<string>();
  const collect = (each: Command): void => {
    for (const { short, long, required } of each.options)
      if (required) for (const flag of [short, long]) if (flag != null) flags.add(flag);
    for (const child of each.commands) collect(child);
  };
  collect(command);
  return flags;
}
