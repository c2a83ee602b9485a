export const MODEL_APIS = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** The configuration of a model that is used through its API, without an agent program. */
export interface ModelDefinition {
  readonly name: string;
  readonly title: string;
  readonly api: ModelApi;
  readonly baseUrl: string;
  /** The default model. */
  readonly model: string;
  /** Other models to offer. */
  readonly models: readonly string[];
  /** The server's variable with the key; null if the API needs none. */
  readonly apiKeyEnv: string | null;
  /** The longest answer; null: the API's own limit. */
  readonly maxTokens: number | null;
  /** The system prompt. */
  readonly system: string | null;
  /** The largest part of the session that a prompt contains. */
  readonly contextTokens: number;
}

type Settings = { [Key in keyof ModelDefinition]: NonNullable<ModelDefinition[Key]> };

/** The user's settings for a model. `baseUrl` is required for APIs without a default. */
export interface ConfiguredModel
  extends Pick<Settings, "api" | "model">, Partial<Omit<Settings, "name" | "api" | "model">> {}

const CONTEXT_TOKENS = 100_000;

export function defineModel(name: string, configured: ConfiguredModel): ModelDefinition {
  const { api, model } = configured;
  const defaults = DEFAULTS[api];
  return {
    name,
    title: configured.title ?? name,
    api,
    baseUrl: (configured.baseUrl ?? defaults.baseUrl).replace(/\/+$/u, ""),
    model,
    models: configured.models ?? [],
    apiKeyEnv: configured.apiKeyEnv ?? defaults.apiKeyEnv,
    maxTokens: configured.maxTokens ?? null,
    system: configured.system ?? null,
    contextTokens: configured.contextTokens ?? CONTEXT_TOKENS,
  };
}

/** Set here, because the packages would otherwise read their own variables. */
const DEFAULTS: Readonly<
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
