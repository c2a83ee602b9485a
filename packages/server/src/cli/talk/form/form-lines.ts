import { FORMAT_EXAMPLES, type FieldInput, type FormField } from "@holdfast/protocol";
import { neutralise, neutraliseLine } from "../../terminal/neutralise.ts";
import { wrap } from "../../terminal/text-width.ts";
import type { LineStyle } from "../tool-lines.ts";
import type { FormStep } from "./form-dialog.ts";

/** The commands that work in every field. */
export const FORM_KEYS = "Enter takes the value in brackets. Also: /back, /skip, /decline, /cancel";

/** The lines of a step, before the person types. After an error, only the error. */
export function stepLines(step: FormStep, style: LineStyle): readonly string[] {
  const { paint, columns } = style;
  if (step.error !== null)
    return wrap(neutralise(step.error), columns - 4).map((line) => paint.red(`  ${line}`));
  switch (step.at) {
    case "field":
      return fieldLines(step, style);
    case "json":
      return [
        "",
        paint.bold("The answer as one JSON object"),
        ...schemaLines(step.schema, style),
        paint.dim("  Type JSON on one line"),
      ];
    case "summary":
      return [
        "",
        paint.bold("Your answer"),
        ...(step.entries.length === 0 ? [paint.dim("  (no values)")] : []),
        ...step.entries.flatMap(({ title, text }) =>
          wrap(`${neutraliseLine(title)}: ${neutralise(text)}`, columns - 4).map(
            (line) => `  ${line}`,
          ),
        ),
        paint.dim("  y: send, b: back, d: decline, c: cancel"),
      ];
    default:
      return step satisfies never;
  }
}

function fieldLines(
  { field, input, takesOwn, number, count }: Extract<FormStep, { at: "field" }>,
  style: LineStyle,
): readonly string[] {
  const { paint, columns } = style;
  const asides = [
    ...(count > 1 ? [`${number} of ${count}`] : []),
    ...(field.required ? ["required"] : []),
  ];
  const aside = asides.length === 0 ? "" : paint.dim(` (${asides.join(", ")})`);
  const description = field.description ?? "";
  return [
    "",
    `${paint.bold(neutraliseLine(field.title))}${aside}`,
    ...(description === "" ? [] : wrap(neutralise(description), columns - 4)).map(
      (line) => `  ${line}`,
    ),
    ...choiceLines(field, style),
    paint.dim(`  ${hintOf(field, takesOwn)}${currentOf(field, input)}`),
  ];
}

function choiceLines(field: FormField, { paint, columns }: LineStyle): readonly string[] {
  if (field.type !== "choice" && field.type !== "choices") return [];
  return field.choices.flatMap(({ title, description, preview }, index) => {
    const number = String(index + 1);
    const indent = " ".repeat(number.length + 3);
    const [first = "", ...rest] = wrap(neutraliseLine(title), columns - indent.length - 1);
    const more = description === null ? [] : wrap(neutralise(description), columns - 8);
    return [
      `  ${paint.cyan(number)} ${first}`,
      ...rest.map((line) => `${indent}${line}`),
      ...more.map((line) => paint.dim(`${indent}${line}`)),
      ...(preview === null ? [] : boxed(preview, columns - indent.length)).map(
        (line) => `${indent}${paint.yellow("│")} ${line}`,
      ),
    ];
  });
}

function schemaLines(schema: unknown, { paint, columns }: LineStyle): readonly string[] {
  const text = JSON.stringify(schema, null, 2) ?? "";
  return boxed(text, columns).map((line) => `${paint.yellow("│")} ${line}`);
}

function boxed(text: string, columns: number): readonly string[] {
  return wrap(neutralise(text), columns - 4);
}

function hintOf(field: FormField, takesOwn: boolean): string {
  switch (field.type) {
    case "text": {
      const { format, minLength, maxLength, pattern, secret } = field;
      const parts = [
        ...(format === null ? ["Type text"] : [`Such as ${FORMAT_EXAMPLES[format]}`]),
        ...(minLength === null ? [] : [`at least ${minLength} characters`]),
        ...(maxLength === null ? [] : [`at most ${maxLength} characters`]),
        ...(pattern === null ? [] : [`pattern ${neutraliseLine(pattern)}`]),
        ...(secret ? ["hidden while you type"] : []),
      ];
      return parts.join(", ");
    }
    case "number": {
      const { integer, minimum, maximum } = field;
      const parts = [
        integer ? "Type a whole number" : "Type a number",
        ...(minimum === null ? [] : [`at least ${minimum}`]),
        ...(maximum === null ? [] : [`at most ${maximum}`]),
      ];
      return parts.join(", ");
    }
    case "boolean":
      return "Type y or n";
    case "choice":
      return takesOwn ? "Type a number, or an answer of your own" : "Type a number";
    case "choices": {
      const { minItems, maxItems } = field;
      const parts = [
        "Type numbers, such as 1,2",
        ...(minItems === null ? [] : [`at least ${minItems}`]),
        ...(maxItems === null ? [] : [`at most ${maxItems}`]),
      ];
      return parts.join(", ");
    }
    case "other":
      return "This field cannot be filled in here";
    default:
      return field satisfies never;
  }
}

/** The value that Enter takes. */
function currentOf(field: FormField, input: FieldInput): string {
  const text = currentText(field, input);
  if (text !== "") return ` [${text}]`;
  return field.required ? "" : " [skip]";
}

function currentText(field: FormField, input: FieldInput): string {
  if (field.type === "text" && field.secret) return input === "" || input === null ? "" : "kept";
  if (typeof input === "boolean") return input ? "yes" : "no";
  const choices = field.type === "choice" || field.type === "choices" ? field.choices : [];
  const titleOf = (value: string): string =>
    choices.find((choice) => choice.value === value)?.title ?? value;
  if (input === null) return "";
  return neutraliseLine(typeof input === "string" ? titleOf(input) : input.map(titleOf).join(", "));
}
