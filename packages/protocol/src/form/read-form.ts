import { TEXT_FORMATS, type Form, type FormChoice, type FormField } from "./form.ts";
import { isLoose } from "./loose.ts";

/** Longer forms and lists are answered as JSON. */
const MAX_FIELDS = 200;
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
  const names = new Set(textsIn(required));
  const isComplete = [...names].every((name) => entries.some(([other]) => other === name));
  if (entries.length > MAX_FIELDS || !isComplete) return unreadable;
  const fields: FormField[] = [];
  for (const [name, property] of entries)
    fields.push(readField(name, property, names.has(name), fields));
  return {
    shape: "fields",
    title: textIn(schema["title"]),
    description: textIn(schema["description"]),
    fields,
  };
}

/** Keywords that join schemas; the protocol does not allow them for a form. */
const COMPOSED = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"] as const;

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
  const unreadable = { ...named, type: "json", schema: property } as const;
  const { default: initial } = schema;
  switch (schema["type"]) {
    case "string": {
      if (isPresent(schema["oneOf"]) || isPresent(schema["enum"])) {
        const choices = choicesIn(schema["oneOf"], schema["enum"], schema["enumNames"]);
        if (choices === null) return unreadable;
        const isOffered = choices.some(({ value }) => value === initial);
        return { ...named, type: "choice", choices, initial: isOffered ? String(initial) : null };
      }
      return {
        ...named,
        type: "text",
        format: TEXT_FORMATS.find((format) => format === schema["format"]) ?? null,
        minLength: numberIn(schema["minLength"]),
        maxLength: numberIn(schema["maxLength"]),
        pattern: typeof schema["pattern"] === "string" ? schema["pattern"] : null,
        initial: typeof initial === "string" ? initial : null,
        secret: isSecret(schema["_meta"]),
        companionOf: required ? null : companionOf(name, before.at(-1)),
      };
    }
    case "number":
    case "integer":
      if (isPresent(schema["enum"]) || isPresent(schema["oneOf"])) return unreadable;
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
      const choices = choicesIn(
        items["anyOf"] ?? items["oneOf"],
        items["enum"],
        items["enumNames"],
      );
      if (choices === null) return unreadable;
      const chosen = new Set(textsIn(initial));
      return {
        ...named,
        type: "choices",
        choices,
        minItems: numberIn(schema["minItems"]),
        maxItems: numberIn(schema["maxItems"]),
        initial: choices.flatMap(({ value }) => (chosen.has(value) ? [value] : [])),
      };
    }
    default:
      return unreadable;
  }
}

/** The offered values, each once; null when they are not a list of texts. */
function choicesIn(titled: unknown, values: unknown, names: unknown): readonly FormChoice[] | null {
  const list = isPresent(titled) ? titled : values;
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_CHOICES) return null;
  const choices = new Map<string, FormChoice>();
  for (const [index, entry] of list.entries()) {
    const choice = isPresent(titled) ? titledChoice(entry) : plainChoice(entry, names, index);
    if (choice === null) return null;
    if (!choices.has(choice.value)) choices.set(choice.value, choice);
  }
  return [...choices.values()];
}

function titledChoice(entry: unknown): FormChoice | null {
  if (!isLoose(entry) || typeof entry["const"] !== "string") return null;
  const { const: value, title, description } = entry;
  return { value, title: textIn(title) ?? value, description: textIn(description) };
}

function plainChoice(value: unknown, names: unknown, index: number): FormChoice | null {
  if (typeof value !== "string") return null;
  const title: unknown = Array.isArray(names) ? names[index] : null;
  return { value, title: textIn(title) ?? value, description: null };
}

/** Agents put the text for an answer of one's own after the choice, and name it after the choice. */
function companionOf(name: string, before: FormField | undefined): string | null {
  if (before?.type !== "choice" && before?.type !== "choices") return null;
  return name.startsWith(`${before.name}_`) ? before.name : null;
}

/** Codex marks secret answers in this way. */
function isSecret(meta: unknown): boolean {
  const codex = isLoose(meta) ? meta["codex"] : null;
  return isLoose(codex) && codex["isSecret"] === true;
}

/** In the protocol, null means the same as a missing keyword. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
