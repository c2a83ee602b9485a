import type { LanguageModel } from "ai";
import type { ModelDefinition } from "./definition.ts";

type Ai = typeof import("ai");

/** Loaded with the first prompt: a server whose models nobody asks does not pay for them. */
export async function loadAi(): Promise<Ai> {
  const ai = await import("ai");
  // It would write to the console, and what it warns of may quote messages.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return ai;
}

export async function openLanguageModel(
  { name, api, baseUrl }: ModelDefinition,
  { model, apiKey }: { readonly model: string; readonly apiKey: string | null },
): Promise<LanguageModel> {
  const where = { baseURL: baseUrl, ...(apiKey !== null && { apiKey }) };
  switch (api) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(where)(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(where)(model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(where)(model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ ...where, name, includeUsage: true })(model);
    }
    default:
      return api satisfies never;
  }
}
