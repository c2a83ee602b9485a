import type { LoginMethod, LoginWay } from "../../login.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";

/** A login method from the reply to `initialize`. */
export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly how: LoginWay;
  /** To log in without a person, one variable of each list must be set. Empty if that is not known. */
  readonly variables: readonly (readonly string[])[];
  /** The program for the terminal; null unless the method is `terminal`. */
  readonly terminal: TerminalAuth | null;
}

export interface TerminalAuth {
  /** Null: the agent's own command, followed by `args`. */
  readonly command: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const MAX_METHODS = 20;
const MAX_ARGS = 50;

export function parseAuthMethods(value: unknown): readonly AuthMethod[] {
  return looseList(value).flatMap(parseAuthMethod).slice(0, MAX_METHODS);
}

function parseAuthMethod(value: unknown): readonly AuthMethod[] {
  const method = looseObject(value);
  const id = looseLabel(method?.["id"]);
  if (method === null || id === null) return [];
  const variables = variablesOf(method);
  const terminal = variables.length > 0 ? null : terminalOf(method);
  const alone = variables.length > 0 ? "variable" : "agent";
  return [
    {
      id,
      name: looseLabel(method["name"]) ?? id,
      description: looseLabel(method["description"], 1000),
      how: terminal === null ? alone : "terminal",
      variables,
      terminal,
    },
  ];
}

/** As it is stored and shown. */
export function toLoginMethod(provider: string, method: AuthMethod): LoginMethod {
  const { id, name, description, how, variables } = method;
  return {
    id,
    name,
    description,
    how,
    ...(variables.length > 0 && { variables: variables.map((names) => names.join(" or ")) }),
    command: `holdfast login ${provider} --method ${id}`,
  };
}

function variablesOf(method: Loose): readonly (readonly string[])[] {
  const names = [
    ...looseList(method["vars"]).filter((entry) => looseObject(entry)?.["optional"] !== true),
    { name: method["varName"] },
  ].flatMap((entry) => looseLabel(looseObject(entry)?.["name"]) ?? []);
  if (names.length > 0) return names.map((name) => [name]);
  const apiKey = looseObject(looseObject(method["_meta"])?.["api-key"]);
  const keys = API_KEYS.get(looseLabel(apiKey?.["provider"]) ?? "");
  if (keys !== undefined) return [keys];
  // Qwen Code names its variable only in the description.
  const named = /`([A-Z][A-Z0-9_]+)` environment variable/u.exec(
    looseLabel(method["description"], 1000) ?? "",
  );
  return named?.[1] === undefined ? [] : [[named[1]]];
}

/** The variables in which the programs of a company look for its key. */
const API_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["google", ["GEMINI_API_KEY", "GOOGLE_API_KEY"]],
  ["openai", ["OPENAI_API_KEY", "CODEX_API_KEY"]],
  ["anthropic", ["ANTHROPIC_API_KEY"]],
]);

/** The protocol's own form comes first; older agents use `_meta`. */
function terminalOf(method: Loose): TerminalAuth | null {
  if (method["type"] === "terminal") {
    return { command: null, args: textsOf(method["args"]), env: environmentOf(method["env"]) };
  }
  const older = looseObject(looseObject(method["_meta"])?.["terminal-auth"]);
  const command = looseLabel(older?.["command"], 4096);
  if (older === null || command === null) return null;
  return { command, args: textsOf(older["args"]), env: environmentOf(older["env"]) };
}

function textsOf(value: unknown): readonly string[] {
  return looseList(value)
    .filter((entry) => typeof entry === "string")
    .slice(0, MAX_ARGS);
}

/** An object, or a list of names and values. */
function environmentOf(value: unknown): Record<string, string> {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(value)
    ? looseList(value).map((entry) => {
        const fields = looseObject(entry);
        return [fields?.["name"], fields?.["value"]] as const;
      })
    : Object.entries(looseObject(value) ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, text]) =>
      typeof name === "string" && typeof text === "string" ? [[name, text] as const] : [],
    ),
  );
}
