import { Option, type Command } from "commander";
import { DELIVERY_POLICIES } from "../domain/delivery.ts";
import { OUTCOMES, PHASES } from "../domain/phase.ts";
import { FURTHER_CHECKS } from "../domain/should-resume.ts";
import { STATES, STATUSES } from "../domain/status.ts";
import { WrongUsage } from "./failure/wrong-usage.ts";

export { DELIVERY_POLICIES, FURTHER_CHECKS, OUTCOMES, PHASES, STATES, STATUSES };

/** The description of an argument that names a session. */
export const ID = "session ID or agent ID";
/** Shells with a completion script. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Options of commands that use the data folder. */
export function withData(command: Command): Command {
  return command
    .option("--data <folder>", "data folder (default: ~/.local/share/holdfast)")
    .option("--database <url>", "postgres://… or a SQLite file (default: in the data folder)");
}

/** Options of commands that use a running server, or the database when none runs. */
export function withServerOptions(command: Command): Command {
  return withData(command)
    .addOption(
      checked("--url <url>", "server to use (default: the one on the data folder)", SERVER_URL),
    )
    .option("--json", "print JSON");
}

/** What a value must be. */
interface Rule<Value> {
  /** Completes the sentence "--option must be …". */
  readonly rule: string;
  /** Undefined when the text breaks the rule. */
  readonly parse: (text: string) => Value | undefined;
}

/** An option whose value is checked. */
export function checked<Value>(flags: string, description: string, rule: Rule<Value>): Option {
  const option = new Option(flags, description);
  return option.argParser(parserOf(option.long ?? flags, rule));
}

/** An option with a fixed set of values, which its help lists. */
export function choice(flags: string, description: string, choices: readonly string[]): Option {
  const option = new Option(flags, description).choices([...choices]);
  return option.argParser(parserOf(option.long ?? flags, oneOf(choices)));
}

/** `--option ID=VALUE`, any number of times. `true` and `false` are booleans; nothing stands for the agent's default. */
export function agentOptions(description: string): Option {
  return new Option("--option <id=value>", description).argParser(
    (text, before: Readonly<Record<string, string | boolean | null>> | undefined) => {
      const [, id, value] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
      if (id === undefined || value === undefined)
        throw new WrongUsage(`--option must be ID=VALUE, such as effort=high, not "${text}".`);
      const parsed = value === "" ? null : value;
      const typed = value === "true" || value === "false" ? value === "true" : parsed;
      return { ...before, [id]: typed };
    },
  );
}

export function parserOf<Value>(
  name: string,
  { rule, parse }: Rule<Value>,
): (text: string) => Value {
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new WrongUsage(`${name} must be ${rule}, not "${text}".`);
  };
}

export function oneOf<Value extends string>(values: readonly Value[]): Rule<Value> {
  return {
    rule: `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
    parse: (text) => values.find((each) => each === text),
  };
}

/** The arguments of `addHelpText` for examples after the options. */
export function examples(...lines: readonly string[]): ["after", string] {
  return ["after", `\nEXAMPLES:\n${lines.map((line) => `  ${line}`).join("\n")}`];
}

/** Loads a command when it runs. A number that it returns is the exit code. */
export function run<Args extends readonly unknown[]>(
  load: () => Promise<(...args: Args) => Promise<number | void>>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const exitCode = await (await load())(...args);
    if (typeof exitCode === "number") process.exitCode = exitCode;
  };
}

export const POSITIVE: Rule<number> = {
  rule: "a number greater than 0",
  parse: (text) => numberIn(text, (value) => value > 0),
};
export const NOT_NEGATIVE: Rule<number> = {
  rule: "a number, 0 or greater",
  parse: (text) => numberIn(text, (value) => value >= 0),
};
export const WHOLE: Rule<number> = {
  rule: "a whole number",
  parse: (text) => (/^\d{1,9}$/u.test(text) ? Number(text) : undefined),
};
/** A number of entries. */
export const COUNT: Rule<number> = {
  rule: "a whole number greater than 0",
  parse: (text) => (Number(text) > 0 ? WHOLE.parse(text) : undefined),
};

function numberIn(text: string, isValid: (value: number) => boolean): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && isValid(value) && text.trim() !== "" ? value : undefined;
}

/** A date or time, which becomes ISO 8601. */
export const TIME: Rule<string> = {
  rule: "a time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
  parse: (text) => {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  },
};

/** The address of a server. A missing scheme means http. */
export const SERVER_URL: Rule<string> = {
  rule: "the address of a server, such as http://127.0.0.1:4664",
  parse: (text) => {
    const url = text.includes("://") ? text : `http://${text}`;
    return /^https?:\/\/[^/]/u.test(url) && URL.canParse(url) ? url : undefined;
  },
};

export function listOf(choices: readonly string[]): Rule<readonly string[]> {
  return {
    rule: `one or more of ${choices.join(", ")}, separated by commas`,
    parse: (text) => {
      const names = text.split(",").map((name) => name.trim());
      return names.every((name) => choices.includes(name)) ? names : undefined;
    },
  };
}

/** The options of commands that connect a session to MCP servers and further folders. */
export function withConnectionOptions(command: Command): Command {
  return command
    .option(
      "--mcp <name=server>",
      "MCP server for the agents: a URL, or a command with its arguments; can be repeated",
      appended,
    )
    .option("--mcp-file <file>", "JSON file with MCP servers, as in other programs")
    .option(
      "--directory <folder>",
      "further folder in which agents may work; can be repeated",
      appended,
    );
}

function appended(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
