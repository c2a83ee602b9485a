import { AgentFault } from "../../provider.ts";
import type { AcpDefinition } from "../definition.ts";
import { findProgram } from "./find-program.ts";

export interface CommandOptions {
  readonly definition: AcpDefinition;
  /** The server's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The program's path and its arguments. */
export function programOf(options: CommandOptions, folder: string): readonly [string, ...string[]] {
  const { title, install } = options.definition;
  const [name = "", ...args] = commandOf(options);
  const program = findProgram(name, searchPathOf(options));
  if (program === null) {
    const hint = install === null ? "" : `; install it with: ${install}`;
    throw new AgentFault(
      "agent_not_installed",
      `${title} is not installed: program ${name} not found${hint}`,
    );
  }
  return [program, ...args.map((arg) => arg.replaceAll("{workspace}", folder))];
}

export function commandOf({ definition, environment }: CommandOptions): readonly string[] {
  const { command, pathVariable } = definition;
  const program = pathVariable === null ? undefined : environment[pathVariable];
  return program === undefined || program === "" ? command : [program, ...command.slice(1)];
}

export function searchPathOf({ definition, environment }: CommandOptions): string | undefined {
  return definition.env["PATH"] ?? environment["PATH"];
}
