import { cleanJson } from "../../domain/clean-text.ts";
import type { JsonObject } from "../../domain/json.ts";
import { looseLabel, looseList, looseObject, type Loose } from "./wire/loose.ts";

/** The capabilities of an agent, from its reply to `initialize`. */
export interface Capabilities {
  readonly load: boolean;
  readonly resume: boolean;
  readonly close: boolean;
  readonly fork: boolean;
  readonly delete: boolean;
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
  readonly mcpHttp: boolean;
  readonly mcpSse: boolean;
  readonly additionalDirectories: boolean;
  readonly authMethods: readonly AuthMethod[];
  /** Unparsed, for display. */
  readonly raw: JsonObject;
}

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** To log in without a person, one variable of each list must be set. Empty if that is not known. */
  readonly variables: readonly (readonly string[])[];
}

export function parseCapabilities(result: Loose): Capabilities {
  const agent = looseObject(result["agentCapabilities"]);
  const session = looseObject(agent?.["sessionCapabilities"]);
  const prompt = looseObject(agent?.["promptCapabilities"]);
  const mcp = looseObject(agent?.["mcpCapabilities"]);
  return {
    load: agent?.["loadSession"] === true,
    resume: isOffered(session?.["resume"]),
    close: isOffered(session?.["close"]),
    fork: isOffered(session?.["fork"]),
    delete: isOffered(session?.["delete"]),
    image: prompt?.["image"] === true,
    audio: prompt?.["audio"] === true,
    embeddedContext: prompt?.["embeddedContext"] === true,
    mcpHttp: mcp?.["http"] === true,
    mcpSse: mcp?.["sse"] === true,
    additionalDirectories: isOffered(session?.["additionalDirectories"]),
    authMethods: looseList(result["authMethods"]).flatMap(parseAuthMethod),
    raw: { ...cleanField("agentInfo", result), ...cleanField("agentCapabilities", result) },
  };
}

/** An empty object means yes, too. */
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
  const names = [
    ...looseList(method["vars"]).filter((entry) => looseObject(entry)?.["optional"] !== true),
    { name: method["varName"] },
  ].flatMap((entry) => looseLabel(looseObject(entry)?.["name"]) ?? []);
  if (names.length > 0) return names.map((name) => [name]);
  const apiKey = looseObject(looseObject(method["_meta"])?.["api-key"]);
  const keys = API_KEYS.get(looseLabel(apiKey?.["provider"]) ?? "");
  return keys === undefined ? [] : [keys];
}

/** The variables in which the programs of a company look for its key. */
const API_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["google", ["GEMINI_API_KEY", "GOOGLE_API_KEY"]],
  ["openai", ["OPENAI_API_KEY", "CODEX_API_KEY"]],
  ["anthropic", ["ANTHROPIC_API_KEY"]],
]);

function cleanField(name: string, result: Loose): JsonObject {
  const clean = cleanJson(result[name] ?? null);
  return clean.ok && clean.value !== null ? { [name]: clean.value } : {};
}
