import {
  AgentFault,
  type Agent,
  type Provider,
  type ProviderDescription,
  type StartAgent,
} from "../provider.ts";
import type { ModelDefinition } from "./definition.ts";
import { ModelAgent } from "./model-agent.ts";

export interface ModelProviderOptions {
  readonly definition: ModelDefinition;
  /** The server's environment, which contains the key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Starts agents that use a model's API from this process. Each prompt contains the whole session. */
export function createModelProvider({ definition, environment }: ModelProviderOptions): Provider {
  return {
    name: definition.name,
    describe: () => Promise.resolve(describe(definition, keyOf(definition, environment))),
    startAgent: (request) =>
      Promise.resolve().then(() => start(definition, keyOf(definition, environment), request)),
  };
}

function describe(definition: ModelDefinition, apiKey: string | null): ProviderDescription {
  const { name, title, api, model, models, apiKeyEnv } = definition;
  return {
    name,
    title,
    installed: apiKeyEnv === null || apiKey !== null,
    command: [],
    install: apiKeyEnv === null ? null : `export ${apiKeyEnv}=…`,
    models: [...new Set([model, ...models])].map((id) => ({ id, name: id })),
    modes: [],
    commands: [],
    capabilities: { api, tools: true, images: true },
  };
}

function start(definition: ModelDefinition, apiKey: string | null, request: StartAgent): Agent {
  const { title, apiKeyEnv } = definition;
  if (request.signal.aborted) {
    throw new AgentFault("agent_not_started", `${title} was aborted before it started`);
  }
  if (apiKeyEnv !== null && apiKey === null) {
    throw new AgentFault(
      "agent_needs_login",
      `${title} needs a key: set ${apiKeyEnv} in the environment of the server`,
    );
  }
  const agent = new ModelAgent({ definition, apiKey, request });
  request.onProcess?.({ pid: null, exited: agent.exited });
  return agent;
}

function keyOf(
  { apiKeyEnv }: ModelDefinition,
  environment: ModelProviderOptions["environment"],
): string | null {
  return (apiKeyEnv === null ? "" : environment[apiKeyEnv]?.trim()) || null;
}
