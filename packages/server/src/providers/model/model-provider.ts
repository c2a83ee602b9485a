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
  /** The server's own environment, which holds the key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A model asked over its API. Its agents live in this process and are given the whole session with each prompt. */
export function createModelProvider({ definition, environment }: ModelProviderOptions): Provider {
  return {
    name: definition.name,
    describe: () => Promise.resolve(describe(definition, environment)),
    startAgent: (request) => Promise.resolve().then(() => start(definition, environment, request)),
  };
}

function describe(
  definition: ModelDefinition,
  environment: ModelProviderOptions["environment"],
): ProviderDescription {
  const { name, title, api, model, models, apiKeyEnv } = definition;
  const isReady = apiKeyEnv === null || keyIn(environment, apiKeyEnv) !== null;
  return {
    name,
    title,
    installed: isReady,
    command: [],
    install: apiKeyEnv === null ? null : `export ${apiKeyEnv}=…`,
    models: [...new Set([model, ...models])].map((id) => ({ id, name: id })),
    modes: [],
    commands: [],
    capabilities: { api, tools: true, images: true },
  };
}

function start(
  definition: ModelDefinition,
  environment: ModelProviderOptions["environment"],
  request: StartAgent,
): Agent {
  const { title, apiKeyEnv } = definition;
  if (request.signal.aborted) {
    throw new AgentFault("agent_not_started", `${title} was given up before it was asked`);
  }
  const apiKey = apiKeyEnv === null ? null : keyIn(environment, apiKeyEnv);
  if (apiKeyEnv !== null && apiKey === null) {
    throw new AgentFault(
      "agent_needs_login",
      `${title} needs a key: set ${apiKeyEnv} where the server is started`,
    );
  }
  const agent = new ModelAgent({ definition, apiKey, request });
  request.onProcess?.({ pid: null, exited: agent.exited });
  return agent;
}

function keyIn(environment: ModelProviderOptions["environment"], variable: string): string | null {
  const key = environment[variable]?.trim() ?? "";
  return key === "" ? null : key;
}
