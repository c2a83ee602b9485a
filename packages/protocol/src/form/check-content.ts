import type { FieldError } from "../problem.ts";
import type { Form, FormChoice, FormField } from "./form.ts";
import { formatError } from "./text-format.ts";
import { isLoose } from "./loose.ts";

/** Whether a text matches a regular expression of an agent; null when that cannot be decided. */
export type MatchesPattern = (pattern: string, text: string) => boolean | null;

/** The errors of the content of an answer by field; an empty list for content that fits. */
export function checkContent(
  form: Form,
  content: unknown,
  matches: MatchesPattern = () => null,
): readonly FieldError[] {
  if (!isLoose(content)) return [{ field: "", message: "Must be a JSON object." }];
  if (form.shape === "json")
    return Object.entries(content).flatMap(([name, value]) =>
      isValue(value) ? [] : [{ field: name, message: NOT_A_VALUE }],
    );
  const names = new Set(form.fields.map(({ name }) => name));
  return [
    ...form.fields.flatMap((field) => {
      const message = Object.hasOwn(content, field.name)
        ? valueError(field, content[field.name], matches)
        : missingError(field);
      return message === null ? [] : [{ field: field.name, message }];
    }),
    ...Object.keys(content)
      .filter((name) => !names.has(name))
      .map((name) => ({ field: name, message: "The form has no such field." })),
  ];
}

function missingError(field: FormField): string | null {
  if (!field.required) return null;
  switch (field.type) {
    case "choice":
      return "Choose one.";
    case "choices":
      return "Choose at least one.";
    case "boolean":
      return "Choose yes or no.";
    case "text":
    case "number":
    case "other":
      return "This field is required.";
    default:
      return field satisfies never;
  }
}

function valueError(field: FormField, value: unknown, matches: MatchesPattern): string | null {
  switch (field.type) {
    case "text": {
      if (typeof value !== "string") return "Must be text.";
      const { minLength, maxLength, pattern, format } = field;
      const length = lengthOf(value);
      if (minLength !== null && length < minLength)
        return `Must have at least ${count(minLength, "character")}.`;
      if (maxLength !== null && length > maxLength)
        return `Must have at most ${count(maxLength, "character")}.`;
      if (pattern !== null && matches(pattern, value) === false)
        return `Must match the pattern ${pattern}`;
      return format === null ? null : formatError(format, value);
    }
    case "number": {
      const { integer, minimum, maximum } = field;
      if (typeof value !== "number" || !Number.isFinite(value)) return "Must be a number.";
      if (integer && !Number.isInteger(value)) return "Must be a whole number.";
      if (minimum !== null && value < minimum) return `Must be at least ${minimum}.`;
      return maximum !== null && value > maximum ? `Must be at most ${maximum}.` : null;
    }
    case "boolean":
      return typeof value === "boolean" ? null : "Must be true or false.";
    case "choice":
      return isOffered(field.choices, value) ? null : "Must be one of the offered choices.";
    case "choices": {
      const { choices, minItems, maxItems } = field;
      if (!Array.isArray(value) || !value.every((item) => isOffered(choices, item)))
        return "Must be a list of offered choices.";
      if (new Set(value).size < value.length) return "Must not contain a choice twice.";
      if (minItems !== null && value.length < minItems) return `Choose at least ${minItems}.`;
      return maxItems !== null && value.length > maxItems ? `Choose at most ${maxItems}.` : null;
    }
    case "other":
      return "Cannot be answered: leave it out.";
    default:
      return field satisfies never;
  }
}

const NOT_A_VALUE = "Must be text, a number, true, false or a list of texts.";

/** A value that the protocol allows in an answer. */
export type FormValue = string | number | boolean | string[];

export function isValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isOffered(choices: readonly FormChoice[], value: unknown): boolean {
  return choices.some((choice) => choice.value === value);
}

/** In characters as people count them, as JSON Schema does. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
