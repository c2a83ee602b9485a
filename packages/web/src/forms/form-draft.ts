import { isObject } from "@holdfast/client";
import { initialInput, type FieldInput, type Form, type FormInput } from "@holdfast/protocol";
import { pageStorage, parseJson, type PageStorage } from "../api/page-storage.ts";

/** The stored input of a form that was not sent yet, or its defaults. */
export function readFormDraft(
  key: string,
  form: Form,
  storage: PageStorage = pageStorage,
): FormInput {
  const initial = initialInput(form);
  const stored = parseJson(storage.get(key));
  if (!isObject(stored)) return initial;
  const known = Object.entries(stored).flatMap(([name, value]) =>
    Object.hasOwn(initial, name) && isInput(value) ? [[name, value] as const] : [],
  );
  return { ...initial, ...Object.fromEntries(known) };
}

/** Secrets are not stored. */
export function storeFormDraft(
  key: string,
  form: Form,
  input: FormInput,
  storage: PageStorage = pageStorage,
): void {
  const fields = form.shape === "fields" ? form.fields : [];
  const secrets = new Set(
    fields.flatMap((field) => (field.type === "text" && field.secret ? [field.name] : [])),
  );
  const kept = Object.entries(input).filter(([name]) => !secrets.has(name));
  storage.set(key, JSON.stringify(Object.fromEntries(kept)));
}

function isInput(value: unknown): value is FieldInput {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return value === null || typeof value === "string" || typeof value === "boolean";
}
