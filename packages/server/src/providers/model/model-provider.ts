import { UNKNOWN_LOGIN } from "../login.ts";
import { AgentFault, type Agent, type Provider } from "../provider.ts";
import type { ProviderDescription } from "../provider-description.ts";
import { openSecrets, type Secrets } from "../secrets/secrets.ts";
import type { ModelDefinition } from "./definition.ts";
import { ModelAgent, type ModelAgentOptions } from "./model-agent.ts";

export interface ModelProviderOptions {
  readonly definition: ModelDefinition;
  /** The server's environment, which contains the key. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** All secrets of the server; the key is added. */
  readonly secrets?: Secrets;
}

/** Starts agents that use a model's API from this process. Each prompt contains the whole session. */
export function createModelProvider({
  definition,
  environment,
  secrets = openSecrets(),
}: ModelProviderOptions): Provider {
  const apiKey = keyOf(definition, environment);
  if (apiKey !== null) secrets.keep([apiKey]);
  return {
    name: definition.name,
    describe: () => Promise.resolve(describe(definition, apiKey)),
    startAgent: (request) =>
      Promise.resolve().then(() => start({ definition, apiKey, request, secrets })),
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
    login: null,
    loginStatus: UNKNOWN_LOGIN,
    loginMethods: [],
    canLogOut: false,
    version: null,
    models: [...new Set([model, ...models])].map((id) => ({ id, name: id })),
    modes: [],
    commands: [],
    capabilities: { api, tools: true, images: true },
  };
}

function start({
  secrets: { redactor },
  ...options
}: Omit<ModelAgentOptions, "redactor"> & { readonly secrets: Secrets }): Agent {
  const { definition, apiKey, request } = options;
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
  const agent = new ModelAgent({ ...options, redactor });
  request.onProcess?.({ pid: null, exited: agent.exited });
  return agent;
}

function keyOf(
  { apiKeyEnv }: ModelDefinition,
  environment: ModelProviderOptions["environment"],
): string | null {
  return (apiKeyEnv === null ? "" : environment[apiKeyEnv]?.trim()) || null;
}
