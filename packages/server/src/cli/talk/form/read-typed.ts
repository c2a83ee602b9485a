import type { FieldInput, FormChoice, FormField } from "@holdfast/protocol";

/** The meaning of a line that a person typed for a field. */
export type Typed =
  | { readonly is: "input"; readonly input: FieldInput }
  /** Text beside the choices. */
  | { readonly is: "own"; readonly text: string }
  | { readonly is: "wrong"; readonly message: string };

/** An empty line keeps the current input. */
export function readTyped(
  field: FormField,
  line: string,
  current: FieldInput,
  takesOwn: boolean,
): Typed {
  const text = line.trim();
  if (text === "") return { is: "input", input: current };
  switch (field.type) {
    case "text":
      return { is: "input", input: line };
    case "number":
      return { is: "input", input: text };
    case "boolean":
      return readBoolean(text);
    case "choice": {
      const choice = choiceOf(field.choices, text);
      if (choice !== null) return { is: "input", input: choice.value };
      if (takesOwn) return { is: "own", text: line };
      return { is: "wrong", message: `Type a number from 1 to ${field.choices.length}.` };
    }
    case "choices":
      return readChoices(field.choices, text);
    case "other":
      return { is: "input", input: null };
    default:
      return field satisfies never;
  }
}

function readBoolean(text: string): Typed {
  if (/^(?:y|yes|true)$/iu.test(text)) return { is: "input", input: true };
  if (/^(?:n|no|false)$/iu.test(text)) return { is: "input", input: false };
  return { is: "wrong", message: "Type y or n." };
}

function readChoices(choices: readonly FormChoice[], text: string): Typed {
  const whole = choiceOf(choices, text);
  if (whole !== null) return { is: "input", input: [whole.value] };
  const words = text.split(/[\s,;]+/u).filter((word) => word !== "");
  const chosen = words.map((word) => choiceOf(choices, word));
  if (chosen.includes(null))
    return {
      is: "wrong",
      message: `Type numbers from 1 to ${choices.length}, such as 1,${Math.min(2, choices.length)}.`,
    };
  const values = new Set(chosen.map((choice) => choice?.value ?? ""));
  return { is: "input", input: choices.map(({ value }) => value).filter((one) => values.has(one)) };
}

/** By number, or by its exact words. */
function choiceOf(choices: readonly FormChoice[], text: string): FormChoice | null {
  const numbered = /^\d+$/u.test(text) ? choices[Number(text) - 1] : undefined;
  const isNamed = ({ title, value }: FormChoice): boolean =>
    [title, value].some((name) => name.toLowerCase() === text.toLowerCase());
  return numbered ?? choices.find(isNamed) ?? null;
}
