import { TEXT_FORMATS, type Form, type FormChoice, type FormField } from "./form.ts";
import { isLoose, type Loose } from "./loose.ts";

/** As the server reads it. */
const MAX_FIELDS = 100;
const MAX_NAME = 200;
const MAX_CHOICES = 1_000;

/** Reads the JSON Schema of an elicitation: a flat object of texts, numbers, booleans and choices. */
export function readForm(schema: unknown): Form {
  const unreadable = { shape: "json", schema } as const;
  if (!isLoose(schema)) return unreadable;
  const { type, properties, required } = schema;
  if (type !== undefined && type !== null && type !== "object") return unreadable;
  if (COMPOSED.some((keyword) => isPresent(schema[keyword]))) return unreadable;
  if (isPresent(properties) && !isLoose(properties)) return unreadable;
  const entries = Object.entries(isLoose(properties) ? properties : {});
  if (entries.length > MAX_FIELDS || entries.some(([name]) => name.length > MAX_NAME))
    return unreadable;
  if (isPresent(required) && !isTexts(required)) return unreadable;
  const names = new Set(isTexts(required) ? required : []);
  const fields: FormField[] = [];
  for (const [name, property] of entries)
    fields.push(readField(name, property, names.has(name), fields));
  const canAnswer = (name: string): boolean =>
    fields.some((field) => field.name === name && field.type !== "other");
  if (![...names].every(canAnswer)) return unreadable;
  return {
    shape: "fields",
    title: textIn(schema["title"]),
    description: textIn(schema["description"]),
    fields,
  };
}

/** Keywords that join schemas; the protocol does not allow them for a form. */
const COMPOSED = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "patternProperties"] as const;

function readField(
  name: string,
  property: unknown,
  required: boolean,
  before: readonly FormField[],
): FormField {
  const schema = isLoose(property) ? property : {};
  const named = {
    name,
    title: textIn(schema["title"]) ?? name,
    description: textIn(schema["description"]),
    required,
  };
  const unreadable = { ...named, type: "other", schema: property } as const;
  const { default: initial } = schema;
  switch (schema["type"]) {
    case "string": {
      if (["oneOf", "anyOf", "enum"].some((keyword) => isPresent(schema[keyword]))) {
        const choices = choicesIn(schema);
        if (choices === null) return unreadable;
        const isOffered = choices.some(({ value }) => value === initial);
        return { ...named, type: "choice", choices, initial: isOffered ? String(initial) : null };
      }
      return {
        ...named,
        type: "text",
        format: TEXT_FORMATS.find((format) => format === schema["format"]) ?? null,
        minLength: countIn(schema["minLength"]),
        maxLength: countIn(schema["maxLength"]),
        pattern: typeof schema["pattern"] === "string" ? schema["pattern"] : null,
        initial: typeof initial === "string" ? initial : null,
        secret: isSecret(schema),
        companionOf: required ? null : companionOf(name, before.at(-1)),
      };
    }
    case "number":
    case "integer":
      return {
        ...named,
        type: "number",
        integer: schema["type"] === "integer",
        minimum: numberIn(schema["minimum"]),
        maximum: numberIn(schema["maximum"]),
        initial: numberIn(initial),
      };
    case "boolean":
      return { ...named, type: "boolean", initial: typeof initial === "boolean" ? initial : null };
    case "array": {
      const items = isLoose(schema["items"]) ? schema["items"] : {};
      const choices = choicesIn(items);
      if (choices === null) return unreadable;
      const chosen = new Set(textsIn(initial));
      return {
        ...named,
        type: "choices",
        choices,
        minItems: countIn(schema["minItems"]),
        maxItems: countIn(schema["maxItems"]),
        initial: choices.flatMap(({ value }) => (chosen.has(value) ? [value] : [])),
      };
    }
    default:
      return unreadable;
  }
}

/** The offered values, each once; null when they are not a list of texts. */
function choicesIn(schema: Loose): readonly FormChoice[] | null {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  const list = isPresent(titled) ? titled : schema["enum"];
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_CHOICES) return null;
  const choices = new Map<string, FormChoice>();
  for (const [index, entry] of list.entries()) {
    const choice = isPresent(titled)
      ? titledChoice(entry)
      : plainChoice(entry, schema["enumNames"], index);
    if (choice === null) return null;
    if (!choices.has(choice.value)) choices.set(choice.value, choice);
  }
  return [...choices.values()];
}

function titledChoice(entry: unknown): FormChoice | null {
  if (!isLoose(entry) || typeof entry["const"] !== "string") return null;
  const { const: value, title, description, _meta: meta } = entry;
  return {
    value,
    title: textIn(title) ?? value,
    description: textIn(description),
    preview: previewIn(meta),
  };
}

function plainChoice(value: unknown, names: unknown, index: number): FormChoice | null {
  if (typeof value !== "string") return null;
  const title: unknown = Array.isArray(names) ? names[index] : null;
  return { value, title: textIn(title) ?? value, description: null, preview: null };
}

/** The protocol has no field for the preview of a choice of AskUserQuestion. */
function previewIn(meta: unknown): string | null {
  const own = isLoose(meta) ? meta["_claude/askUserQuestionOption"] : null;
  return isLoose(own) ? textIn(own["preview"]) : null;
}

/** Agents put the text for an answer of one's own after the choice, and name it after the choice. */
function companionOf(name: string, before: FormField | undefined): string | null {
  if (before?.type !== "choice" && before?.type !== "choices") return null;
  return name.startsWith(`${before.name}_`) ? before.name : null;
}

/** As the server reads it: the ways of JSON Schema and of Codex. */
function isSecret({ writeOnly, format, isSecret: own, _meta: meta }: Loose): boolean {
  if (writeOnly === true || format === "password" || own === true) return true;
  if (!isLoose(meta)) return false;
  return [meta, ...Object.values(meta)].some((each) => isLoose(each) && each["isSecret"] === true);
}

/** In the protocol, null means the same as a missing keyword. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function countIn(value: unknown): number | null {
  const number = numberIn(value);
  return number !== null && Number.isInteger(number) && number >= 0 ? number : null;
}
