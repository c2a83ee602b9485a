import type { AcpDefinition } from "./acp/definition.ts";
import { BUILT_IN, define } from "./built-in.ts";

type Configurable =
  | "title"
  | "command"
  | "protocol"
  | "env"
  | "mounts"
  | "mcpServers"
  | "mode"
  | "models"
  | "network"
  | "tools";

/** The user's settings for a built-in agent or another one. `env` and `mounts` are added to those of the definition. */
export interface ConfiguredAgent extends Partial<Pick<AcpDefinition, Configurable>> {
  /** Variables of the server that the agent may see, besides those of the definition. */
  readonly passEnv?: readonly string[];
}

/** The built-in agents with the user's settings, then the other configured agents. */
export function definitionsOf(
  configured: ReadonlyMap<string, ConfiguredAgent>,
): readonly AcpDefinition[] {
  const names = new Set(BUILT_IN.map(({ name }) => name));
  const others = [...configured.keys()].filter((name) => !names.has(name));
  const definitions = [...BUILT_IN, ...others.map((name) => define({ name, command: [name] }))];
  return definitions.map((definition) => configure(definition, configured.get(definition.name)));
}

function configure(definition: AcpDefinition, agent: ConfiguredAgent = {}): AcpDefinition {
  return {
    ...definition,
    title: agent.title ?? definition.title,
    command: agent.command ?? definition.command,
    protocol: agent.protocol ?? definition.protocol,
    env: { ...definition.env, ...agent.env },
    passes: [...new Set([...definition.passes, ...(agent.passEnv ?? [])])],
    mounts: [...new Set([...definition.mounts, ...(agent.mounts ?? [])])],
    network: agent.network ?? definition.network,
    mode: agent.mode === undefined ? definition.mode : agent.mode,
    asks: keepsAsking(definition, agent) ? definition.asks : null,
    models: agent.models ?? definition.models,
    mcpServers: { ...definition.mcpServers, ...agent.mcpServers },
    tools: agent.tools ?? definition.tools,
  };
}

/** Whether the settings change nothing that makes the agent ask. */
function keepsAsking(definition: AcpDefinition, { command, env, mode }: ConfiguredAgent): boolean {
  return (
    (command === undefined || command.join("\0") === definition.command.join("\0")) &&
    (mode === undefined || mode === definition.mode) &&
    Object.keys(env ?? {}).every((name) => !Object.hasOwn(definition.env, name))
  );
}
