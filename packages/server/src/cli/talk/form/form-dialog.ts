import {
  answerEntries,
  contentOf,
  fieldError,
  initialInput,
  type ElicitationAnswer,
  type FieldError,
  type FieldInput,
  type Form,
  type FormField,
  type FormInput,
} from "@holdfast/protocol";
import { readTyped } from "./read-typed.ts";

/** A form at the terminal: one step per field, then a summary with the decision. */
export interface FormDialog {
  readonly step: () => FormStep;
  /** Takes a line. Returns the answer once there is one. */
  readonly take: (line: string) => ElicitationAnswer | null;
  /** The server refused the answer: shows its errors, and continues at the first wrong field. */
  readonly refuse: (errors: readonly FieldError[]) => void;
}

export type FormStep =
  | {
      readonly at: "field";
      readonly field: FormField;
      /** Enter takes it. */
      readonly input: FieldInput;
      /** Text that is not one of the choices is an answer of one's own. */
      readonly takesOwn: boolean;
      readonly number: number;
      readonly count: number;
      readonly error: string | null;
    }
  | { readonly at: "json"; readonly schema: unknown; readonly error: string | null }
  | {
      readonly at: "summary";
      readonly entries: ReturnType<typeof answerEntries>;
      readonly error: string | null;
    };

const COMMANDS = ["/back", "/skip", "/decline", "/cancel"] as const;

export function createFormDialog(form: Form): FormDialog {
  const fields = form.shape === "fields" ? form.fields.filter((field) => isAsked(form, field)) : [];
  const last = form.shape === "json" ? 1 : fields.length;
  let input: FormInput = initialInput(form);
  let at = 0;
  let error: string | null = null;

  const enter = (name: string, value: FieldInput): void => {
    input = { ...input, [name]: value };
  };
  const go = (to: number): null => {
    at = Math.max(0, Math.min(to, last));
    error = null;
    return null;
  };
  const complain = (message: string): null => {
    error = message;
    return null;
  };

  const takeField = (field: FormField, line: string): null => {
    const companion = companionIn(form, field);
    const typed = readTyped(field, line, input[field.name] ?? null, companion !== null);
    if (typed.is === "wrong") return complain(typed.message);
    if (typed.is === "own" && companion !== null) {
      enter(field.name, null);
      enter(companion.name, typed.text);
      return go(at + 1);
    }
    const value = typed.is === "input" ? typed.input : null;
    const wrong = fieldError(field, value);
    if (wrong !== null) return complain(wrong);
    enter(field.name, value);
    if (companion !== null && line.trim() !== "") enter(companion.name, "");
    return go(at + 1);
  };

  const takeJson = (line: string): null => {
    enter("", line.trim() === "" ? (input[""] ?? "") : line);
    const result = contentOf(form, input);
    return result.ok ? go(at + 1) : complain(errorLine(result.errors));
  };

  const decide = (line: string): ElicitationAnswer | null => {
    switch (line.trim().toLowerCase()) {
      case "y":
      case "yes": {
        const result = contentOf(form, input);
        if (!result.ok) return complain(errorLine(result.errors));
        return { action: "accept", content: result.content };
      }
      case "b":
      case "back":
        return go(at - 1);
      case "d":
      case "decline":
        return { action: "decline" };
      case "c":
      case "cancel":
        return { action: "cancel" };
      default:
        return complain("Type y, b, d or c.");
    }
  };

  return {
    step() {
      if (form.shape === "json" && at === 0) return { at: "json", schema: form.schema, error };
      const field = fields[at];
      if (field === undefined) return { at: "summary", entries: summaryOf(form, input), error };
      const own = companionIn(form, field);
      const typedText = own === null ? null : (input[own.name] ?? null);
      const value = input[field.name] ?? null;
      return {
        at: "field",
        field,
        input: value === null && typedText !== "" ? typedText : value,
        takesOwn: own !== null,
        number: at + 1,
        count: fields.length,
        error,
      };
    },
    take(line) {
      const command = COMMANDS.find((known) => known === line.trim().toLowerCase());
      // A doubled slash writes such a text.
      const text = COMMANDS.some((known) => `/${known}` === line.trim())
        ? line.trim().slice(1)
        : line;
      const field = fields[at];
      switch (command) {
        case "/decline":
          return { action: "decline" };
        case "/cancel":
          return { action: "cancel" };
        case "/back":
          return go(at - 1);
        case "/skip": {
          if (field === undefined) return complain("This step cannot be skipped.");
          if (field.required) return complain("This field is required.");
          enter(field.name, field.type === "choices" ? [] : null);
          const companion = companionIn(form, field);
          if (companion !== null) enter(companion.name, "");
          return go(at + 1);
        }
        case undefined:
          break;
        default:
          return command satisfies never;
      }
      if (field !== undefined) return takeField(field, text);
      return form.shape === "json" && at === 0 ? takeJson(text) : decide(text);
    },
    refuse(errors) {
      const first = fields.findIndex(({ name }) => errors.some((wrong) => wrong.field === name));
      go(first === -1 ? last : first);
      const own = errors.find((wrong) => wrong.field === fields[first]?.name);
      error = own === undefined ? errorLine(errors) : own.message;
    },
  };
}

/** The text field of an optional single choice is not asked separately: other text than a choice goes there. */
function companionIn(form: Form, choice: FormField): FormField | null {
  if (form.shape !== "fields" || choice.type !== "choice" || choice.required) return null;
  return (
    form.fields.find((field) => field.type === "text" && field.companionOf === choice.name) ?? null
  );
}

function isAsked(form: Form, field: FormField): boolean {
  if (field.type === "other") return false;
  if (form.shape !== "fields" || field.type !== "text" || field.companionOf === null) return true;
  const choice = form.fields.find(({ name }) => name === field.companionOf);
  return choice === undefined || companionIn(form, choice)?.name !== field.name;
}

function summaryOf(form: Form, input: FormInput): ReturnType<typeof answerEntries> {
  const result = contentOf(form, input);
  return result.ok ? answerEntries(form, result.content) : [];
}

function errorLine(errors: readonly FieldError[]): string {
  return errors
    .map(({ field, message }) => (field === "" ? message : `${field}: ${message}`))
    .join(" ");
}
