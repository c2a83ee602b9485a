import type { FieldError } from "../problem.ts";
import { checkContent, isValue, type FormValue } from "./check-content.ts";
import type { Form, FormField } from "./form.ts";
import { isLoose } from "./loose.ts";

/** What a person entered in a field: text, one or several choices, yes or no; null for nothing. */
export type FieldInput = string | readonly string[] | boolean | null;
/** By name of the field; the JSON text of a form without fields has the empty name. */
export type FormInput = Readonly<Record<string, FieldInput>>;

export type FormResult =
  | { readonly ok: true; readonly content: Record<string, FormValue> }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** The input before a person changes it: the defaults of the agent, which the person sees. */
export function initialInput(form: Form): FormInput {
  if (form.shape === "json") return { "": "" };
  return Object.fromEntries(form.fields.map((field) => [field.name, initialOf(field)]));
}

function initialOf(field: FormField): FieldInput {
  switch (field.type) {
    case "text":
      return field.initial ?? "";
    case "number":
      return field.initial === null ? "" : String(field.initial);
    case "boolean":
    case "choice":
    case "choices":
      return field.initial;
    case "other":
      return null;
    default:
      return field satisfies never;
  }
}

/** The content of an answer from what a person entered, or the errors by field. Empty fields are left out. */
export function contentOf(form: Form, input: FormInput): FormResult {
  if (form.shape === "json") {
    const value = parseJson(String(input[""] ?? ""));
    if (!value.ok) return { ok: false, errors: [{ field: "", message: NOT_JSON }] };
    const wrong = checkContent(form, value.json);
    if (!isLoose(value.json) || wrong.length > 0) return { ok: false, errors: wrong };
    const values = Object.entries(value.json).flatMap(([name, one]) =>
      isValue(one) ? [[name, one] as const] : [],
    );
    return { ok: true, content: Object.fromEntries(values) };
  }
  const errors: FieldError[] = [];
  const values = new Map<string, FormValue>();
  for (const field of form.fields) {
    const value = valueOf(field, input[field.name] ?? null);
    if (value.is === "wrong") errors.push({ field: field.name, message: value.message });
    if (value.is === "value") values.set(field.name, value.value);
  }
  const content = Object.fromEntries(values);
  const wrong = new Set(errors.map(({ field }) => field));
  const all = [...errors, ...checkContent(form, content).filter(({ field }) => !wrong.has(field))];
  if (all.length === 0) return { ok: true, content };
  const order = form.fields.map(({ name }) => name);
  return {
    ok: false,
    errors: all.toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field)),
  };
}

/** The error of one field, as {@link contentOf} finds it; null for none. */
export function fieldError(field: FormField, input: FieldInput): string | null {
  const form: Form = { shape: "fields", title: null, description: null, fields: [field] };
  const result = contentOf(form, { [field.name]: input });
  return result.ok ? null : (result.errors[0]?.message ?? null);
}

type FieldValue =
  | { readonly is: "nothing" }
  | { readonly is: "value"; readonly value: FormValue }
  | { readonly is: "wrong"; readonly message: string };

const NOT_JSON = "This is not valid JSON.";

function valueOf(field: FormField, input: FieldInput): FieldValue {
  const text = typeof input === "string" ? input : "";
  switch (field.type) {
    case "text":
    case "choice":
      return text === "" ? { is: "nothing" } : { is: "value", value: text };
    case "number": {
      const trimmed = text.trim();
      if (trimmed === "") return { is: "nothing" };
      return NUMBER.test(trimmed)
        ? { is: "value", value: Number(trimmed) }
        : { is: "wrong", message: `Must be a ${field.integer ? "whole " : ""}number.` };
    }
    case "boolean":
      return typeof input === "boolean" ? { is: "value", value: input } : { is: "nothing" };
    case "choices": {
      const chosen = typeof input === "object" && input !== null ? [...input] : [];
      const mayBeEmpty = field.required && (field.minItems ?? 0) === 0;
      return chosen.length > 0 || mayBeEmpty ? { is: "value", value: chosen } : { is: "nothing" };
    }
    case "other":
      return { is: "nothing" };
    default:
      return field satisfies never;
  }
}

/** As people write numbers; not hexadecimal, and not Infinity. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/iu;

function parseJson(text: string): { readonly ok: true; readonly json: unknown } | { ok: false } {
  try {
    return { ok: true, json: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
}
