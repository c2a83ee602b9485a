import { cleanJson } from "../../domain/clean-text.ts";
import type { JsonObject } from "../../domain/json.ts";
import { looseLabel, looseList, looseObject, type Loose } from "./wire/loose.ts";

/** What an agent says it can do, from its answer to `initialize`. */
export interface Capabilities {
  readonly load: boolean;
  readonly resume: boolean;
  readonly close: boolean;
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
  readonly authMethods: readonly AuthMethod[];
  /** As it was told, to be shown. */
  readonly told: JsonObject;
}

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Variables of which each must be set for this to work without anybody there; empty when that is not known. */
  readonly variables: readonly (readonly string[])[];
}

export function parseCapabilities(initialized: Loose): Capabilities {
  const agent = looseObject(initialized["agentCapabilities"]);
  const session = looseObject(agent?.["sessionCapabilities"]);
  const prompt = looseObject(agent?.["promptCapabilities"]);
  return {
    load: agent?.["loadSession"] === true,
    resume: isOffered(session?.["resume"]),
    close: isOffered(session?.["close"]),
    image: prompt?.["image"] === true,
    audio: prompt?.["audio"] === true,
    embeddedContext: prompt?.["embeddedContext"] === true,
    authMethods: looseList(initialized["authMethods"]).flatMap(parseAuthMethod),
    told: {
      ...shown("agentInfo", initialized),
      ...shown("agentCapabilities", initialized),
    },
  };
}

/** An object, be it empty, is a yes. */
function isOffered(value: unknown): boolean {
  return value === true || looseObject(value) !== null;
}

function parseAuthMethod(value: unknown): readonly AuthMethod[] {
  const method = looseObject(value);
  const id = looseLabel(method?.["id"]);
  if (method === null || id === null) return [];
  return [
    {
      id,
      name: looseLabel(method["name"]) ?? id,
      description: looseLabel(method["description"], 1000),
      variables: variablesOf(method),
    },
  ];
}

function variablesOf(method: Loose): readonly (readonly string[])[] {
  const named = [
    ...looseList(method["vars"]).filter((entry) => looseObject(entry)?.["optional"] !== true),
    method["varName"] === undefined ? null : { name: method["varName"] },
  ].flatMap((entry) => looseLabel(looseObject(entry)?.["name"]) ?? []);
  if (named.length > 0) return named.map((name) => [name]);
  const apiKey = looseObject(looseObject(method["_meta"])?.["api-key"]);
  const company = looseLabel(apiKey?.["provider"]);
  const keys = company === null ? undefined : API_KEYS.get(company);
  return keys === undefined ? [] : [keys];
}

/** Where a company's programs look for its key. */
const API_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["google", ["GEMINI_API_KEY", "GOOGLE_API_KEY"]],
  ["openai", ["OPENAI_API_KEY", "CODEX_API_KEY"]],
  ["anthropic", ["ANTHROPIC_API_KEY"]],
]);

function shown(name: string, told: Loose): JsonObject {
  const clean = cleanJson(told[name] ?? null);
  return clean.ok && clean.value !== null ? { [name]: clean.value } : {};
}
