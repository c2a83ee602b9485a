import type { Form, FormField, TextField } from "@holdfast/protocol";

/** A field with the text field that completes it, such as "Other". */
export interface FormQuestion {
  readonly field: FormField;
  readonly companion: TextField | null;
}

export function questionsOf(form: Form): readonly FormQuestion[] {
  if (form.shape === "json") return [];
  const companions = new Map(
    form.fields.flatMap((field) =>
      field.type === "text" && field.companionOf !== null ? [[field.companionOf, field]] : [],
    ),
  );
  const names = new Set([...companions.values()].map(({ name }) => name));
  return form.fields
    .filter(({ name }) => !names.has(name))
    .map((field) => ({ field, companion: companions.get(field.name) ?? null }));
}
