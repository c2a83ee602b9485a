import type { Form, FormField } from "@holdfast/protocol";
import { neutraliseLine } from "../../terminal/neutralise.ts";
import { wrap } from "../../terminal/text-width.ts";
import type { LineStyle } from "../tool-lines.ts";

/** The fields of a form in one line each, with their names in the answer. */
export function formOutline(form: Form, { paint, columns }: LineStyle): readonly string[] {
  if (form.shape === "json") return [paint.dim("  Answer with a JSON object.")];
  return form.fields.flatMap((field) =>
    wrap(outlineOf(field), columns - 4).map((line, index) => `  ${index === 0 ? "" : "  "}${line}`),
  );
}

function outlineOf(field: FormField): string {
  const name = neutraliseLine(field.name);
  const title = field.title === field.name ? "" : `, ${neutraliseLine(field.title)}`;
  return `${name}${title}: ${kindOf(field)}${field.required ? " (required)" : ""}`;
}

function kindOf(field: FormField): string {
  switch (field.type) {
    case "text":
      return field.format ?? "text";
    case "number":
      return field.integer ? "whole number" : "number";
    case "boolean":
      return "true or false";
    case "choice":
      return valuesOf(field.choices, " | ");
    case "choices":
      return `list of ${valuesOf(field.choices, ", ")}`;
    case "other":
      return "cannot be answered, leave it out";
    default:
      return field satisfies never;
  }
}

function valuesOf(choices: readonly { readonly value: string }[], between: string): string {
  return choices.map(({ value }) => neutraliseLine(JSON.stringify(value))).join(between);
}

/** Content with a value for each required field, or for the first field; the person replaces the values. */
export function exampleContent(form: Form): Readonly<Record<string, unknown>> {
  if (form.shape === "json") return {};
  const fields = form.fields.filter(({ type }) => type !== "other");
  const required = fields.filter((field) => field.required);
  const shown = required.length > 0 ? required : fields.slice(0, 1);
  return Object.fromEntries(shown.map((field) => [field.name, exampleOf(field)]));
}

function exampleOf(field: FormField): unknown {
  switch (field.type) {
    case "text":
      return field.initial ?? "…";
    case "number":
      return field.initial ?? field.minimum ?? 0;
    case "boolean":
      return field.initial ?? false;
    case "choice":
      return field.initial ?? field.choices[0]?.value ?? "…";
    case "choices":
      return field.initial.length > 0 ? field.initial : [field.choices[0]?.value ?? "…"];
    case "other":
      return null;
    default:
      return field satisfies never;
  }
}
