import type { Form, FormField } from "./form.ts";
import { isLoose } from "./loose.ts";

/** One value of an answer, for people. */
export interface AnswerEntry {
  readonly title: string;
  readonly text: string;
}

/** The content of an answer in the order of the form, with the titles of fields and choices. */
export function answerEntries(form: Form, content: unknown): readonly AnswerEntry[] {
  if (typeof content !== "object" || content === null) return [];
  const fields = form.shape === "fields" ? form.fields : [];
  const byName = new Map(fields.map((field) => [field.name, field]));
  const order = [...byName.keys()];
  const rank = (name: string): number => (byName.has(name) ? order.indexOf(name) : order.length);
  return Object.entries(content)
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => {
      const field = byName.get(name);
      return { title: field?.title ?? name, text: valueText(field, value) };
    });
}

function valueText(field: FormField | undefined, value: unknown): string {
  if ((field?.type === "text" && field.secret) || isNotStored(value)) return "(not shown)";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const choices = field?.type === "choice" || field?.type === "choices" ? field.choices : [];
  const titleOf = (item: unknown): string =>
    choices.find((choice) => choice.value === item)?.title ?? plain(item);
  if (field?.type === "choices" && Array.isArray(value))
    return value.length === 0 ? "None" : value.map(titleOf).join(", ");
  return titleOf(value);
}

/** The mark of a secret in a stored answer. */
function isNotStored(value: unknown): boolean {
  return isLoose(value) && value["notStored"] === true;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
