import { isObject, sameJson, type Json, type JsonObject } from "../json.ts";
import type { ElicitationAnswer } from "./check-answer.ts";

/** Stands for the value of a secret field in a stored answer. A value of a form is never an object. */
const NOT_STORED: JsonObject = { notStored: true };

/** Whether an agent marked the field as secret: as JSON Schema does, or as Codex does. */
export function isSecretField(field: Json | undefined): boolean {
  if (!isObject(field)) return false;
  const { writeOnly, format, isSecret, _meta: meta } = field;
  if (writeOnly === true || format === "password" || isSecret === true) return true;
  if (!isObject(meta)) return false;
  return [meta, ...Object.values(meta)].some((each) => isObject(each) && each["isSecret"] === true);
}

export interface SeparatedAnswer {
  /** The answer with a mark in place of each secret. */
  readonly stored: ElicitationAnswer;
  /** The secrets by field; null if there are none. */
  readonly secrets: JsonObject | null;
}

/** Separates the secrets of a checked answer, which must not be stored. */
export function separateSecrets(request: JsonObject, answer: ElicitationAnswer): SeparatedAnswer {
  if (answer.action !== "accept" || answer.content === undefined)
    return { stored: answer, secrets: null };
  const { schema } = request;
  const fields = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  const entries = Object.entries(answer.content);
  const secrets = entries.filter(([name]) => isSecretField(fields[name]));
  if (secrets.length === 0) return { stored: answer, secrets: null };
  const names = new Set(secrets.map(([name]) => name));
  const content = Object.fromEntries(
    entries.map(([name, value]) => [name, names.has(name) ? NOT_STORED : value]),
  );
  return { stored: { ...answer, content }, secrets: Object.fromEntries(secrets) };
}

/** The names of the fields whose values a stored answer does not have. */
export function missingSecrets(answer: Json): readonly string[] {
  const content = isObject(answer) ? answer["content"] : null;
  if (!isObject(content)) return [];
  return Object.keys(content).filter((name) => isMark(content[name]));
}

/** A stored answer with its secrets; null if one is missing. */
export function withSecrets(answer: Json, secrets: JsonObject | null): Json {
  const missing = missingSecrets(answer);
  if (missing.length === 0 || !isObject(answer) || !isObject(answer["content"])) return answer;
  const found = Object.fromEntries(
    Object.entries(secrets ?? {}).filter(([name]) => missing.includes(name)),
  );
  if (Object.keys(found).length < missing.length) return null;
  return { ...answer, content: { ...answer["content"], ...found } };
}

function isMark(value: Json | undefined): boolean {
  return value !== undefined && sameJson(value, NOT_STORED);
}
