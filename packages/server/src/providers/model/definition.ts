export const MODEL_APIS = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** A model that is asked over its API, without an agent program in between. */
export interface ModelDefinition {
  readonly name: string;
  readonly title: string;
  readonly api: ModelApi;
  readonly baseUrl: string;
  /** Asked when neither the message nor the session names one. */
  readonly model: string;
  /** Further ones to offer. */
  readonly models: readonly string[];
  /** The server's variable that holds the key; null where none is needed. */
  readonly apiKeyEnv: string | null;
  /** The longest answer; null leaves it to the API. */
  readonly maxTokens: number | null;
  /** Said to the model before everything else. */
  readonly system: string | null;
  /** How much of the session it is given at most. */
  readonly contextTokens: number;
}

/** What a user says about a model. */
export interface ConfiguredModel {
  readonly title?: string;
  readonly api: ModelApi;
  /** Needed where the API has no usual place. */
  readonly baseUrl?: string;
  readonly model: string;
  readonly models?: readonly string[];
  readonly apiKeyEnv?: string;
  readonly maxTokens?: number;
  readonly system?: string;
  readonly contextTokens?: number;
}

const CONTEXT_TOKENS = 100_000;

export function defineModel(name: string, configured: ConfiguredModel): ModelDefinition {
  const { api, model } = configured;
  const usual = USUAL[api];
  return {
    name,
    title: configured.title ?? name,
    api,
    baseUrl: (configured.baseUrl ?? usual.baseUrl).replace(/\/+$/u, ""),
    model,
    models: configured.models ?? [],
    apiKeyEnv: configured.apiKeyEnv ?? usual.apiKeyEnv,
    maxTokens: configured.maxTokens ?? null,
    system: configured.system ?? null,
    contextTokens: configured.contextTokens ?? CONTEXT_TOKENS,
  };
}

/** Written here and not left to the packages, which would read variables of their own. */
const USUAL: Readonly<
  Record<ModelApi, { readonly baseUrl: string; readonly apiKeyEnv: string | null }>
> = {
  anthropic: { baseUrl: "https://api.anthropic.com/v1", apiKeyEnv: "ANTHROPIC_API_KEY" },
  openai: { baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
  google: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    apiKeyEnv: "GEMINI_API_KEY",
  },
  "openai-compatible": { baseUrl: "", apiKeyEnv: null },
};
