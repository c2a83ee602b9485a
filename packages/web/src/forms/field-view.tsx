import {
  FORMAT_EXAMPLES,
  type FieldInput,
  type FormField,
  type NumberField,
  type TextField,
} from "@holdfast/protocol";
import { type ReactElement, type ReactNode, useId } from "react";
import { WRAPPED } from "../approvals/subject-view.tsx";
import { visibleText } from "../approvals/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { Field, Input, Select, TextArea } from "../ui/field.tsx";
import { ChoiceList } from "./choice-list.tsx";

/** Longer lists of a single choice are a drop-down. */
const MAX_RADIOS = 6;

export interface FieldViewProps {
  readonly field: FormField;
  readonly input: FieldInput;
  readonly error: string | null;
  readonly disabled: boolean;
  readonly onChange: (input: FieldInput) => void;
}

/** One field of a form with its label, description and error. */
export function FieldView(props: FieldViewProps): ReactElement {
  const { field, input, error, disabled, onChange } = props;
  const text = typeof input === "string" ? input : "";
  const label = labelOf(field);
  const onText = (event: { readonly target: { readonly value: string } }): void =>
    onChange(event.target.value);
  switch (field.type) {
    case "text":
      return (
        <Field label={label} hint={hintOf(field.description, textRule(field))} error={error}>
          {(ids) => {
            const shared = { ...ids, disabled, value: text, onChange: onText };
            const { required } = field;
            if (field.secret)
              return <Input {...shared} required={required} type="password" autoComplete="off" />;
            if (field.format !== null)
              return <Input {...shared} required={required} {...INPUTS[field.format]} />;
            return (
              <TextArea
                {...shared}
                required={required}
                rows={1}
                className="field-sizing-content max-h-60 touch-target"
              />
            );
          }}
        </Field>
      );
    case "number":
      return (
        <Field label={label} hint={hintOf(field.description, numberRule(field))} error={error}>
          {(ids) => (
            <Input
              {...ids}
              disabled={disabled}
              required={field.required}
              inputMode={field.integer && (field.minimum ?? -1) >= 0 ? "numeric" : "decimal"}
              value={text}
              onChange={onText}
              className="max-w-48"
            />
          )}
        </Field>
      );
    case "choice":
      if (field.choices.length <= MAX_RADIOS) return <Choices {...props} field={field} />;
      return (
        <Field label={label} hint={hintOf(field.description)} error={error}>
          {(ids) => (
            <Select
              {...ids}
              disabled={disabled}
              required={field.required}
              value={text}
              onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}
            >
              <option value="">Choose…</option>
              {field.choices.map(({ value, title, description }) => (
                <option key={value} value={value}>
                  {visibleText(description === null ? title : `${title}: ${description}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      );
    case "boolean":
    case "choices":
      return <Choices {...props} field={field} />;
    case "other":
      return (
        <div className="flex flex-col gap-1">
          <p className="text-muted wrap-anywhere">
            “{visibleText(field.title)}” cannot be filled in here and is left out.
          </p>
          <SchemaView schema={field.schema} />
        </div>
      );
    default:
      return field satisfies never;
  }
}

/** The schema of something that cannot be shown as an input. */
export function SchemaView({ schema }: { readonly schema: unknown }): ReactElement {
  return (
    <details className="text-xs">
      <summary className="touch-target inline-flex cursor-pointer items-center text-muted">
        Schema
      </summary>
      <pre className={`rounded-md bg-sunken px-3 py-2 font-mono ${WRAPPED}`}>
        {visibleText(JSON.stringify(schema, null, 2) ?? "")}
      </pre>
    </details>
  );
}

const YES_NO = [
  { value: "true", title: "Yes", description: null, preview: null },
  { value: "false", title: "No", description: null, preview: null },
];

/** A group of radio buttons or check boxes. */
function Choices({
  field,
  input,
  error,
  disabled,
  onChange,
}: Omit<FieldViewProps, "field"> & {
  readonly field: Extract<FormField, { type: "choice" | "choices" | "boolean" }>;
}): ReactElement {
  const id = useId();
  const hasError = error !== null;
  const hint = hintOf(field.description, field.type === "choices" ? amountRule(field) : null);
  const describedBy = [hint !== null && `${id}-hint`, hasError && `${id}-error`].filter(
    (each) => each !== false,
  );
  const chosen = chosenOf(input);
  const onToggle = (value: string): void => {
    if (field.type === "boolean") return onChange(value === "true");
    if (field.type === "choice") return onChange(value);
    const next = chosen.includes(value)
      ? chosen.filter((one) => one !== value)
      : [...chosen, value];
    // In the order of the agent.
    onChange(
      field.choices.flatMap((choice) => (next.includes(choice.value) ? [choice.value] : [])),
    );
  };
  const canClear = field.type !== "choices" && !field.required && chosen.length > 0;
  return (
    <fieldset
      role={field.type === "choices" ? "group" : "radiogroup"}
      aria-describedby={describedBy.length === 0 ? undefined : describedBy.join(" ")}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <legend className={`mb-0.5 text-sm font-medium ${WRAPPED}`}>{labelOf(field)}</legend>
      {hint !== null && (
        <div id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </div>
      )}
      <ChoiceList
        type={field.type === "choices" ? "checkbox" : "radio"}
        name={id}
        choices={field.type === "boolean" ? YES_NO : field.choices}
        chosen={chosen}
        invalid={hasError}
        errorId={hasError ? `${id}-error` : undefined}
        disabled={disabled}
        onToggle={onToggle}
      />
      {canClear && (
        <Button
          size="small"
          tone="quiet"
          disabled={disabled}
          className="self-start text-muted"
          onClick={() => onChange(null)}
        >
          Clear the choice
        </Button>
      )}
      {hasError && (
        <p id={`${id}-error`} role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function chosenOf(input: FieldInput): readonly string[] {
  if (input === null) return [];
  return typeof input === "object" ? input : [String(input)];
}

function labelOf({ title, required }: FormField): string {
  return `${visibleText(title)}${required ? " (required)" : ""}`;
}

function hintOf(description: string | null, rule: string | null = null): ReactNode {
  if (description === null && rule === null) return null;
  return (
    <span className={`flex flex-col ${WRAPPED}`}>
      {description !== null && <span>{visibleText(description)}</span>}
      {rule !== null && <span>{rule}</span>}
    </span>
  );
}

const INPUTS = {
  email: { type: "email", autoComplete: "email" },
  uri: { type: "url" },
  date: { type: "date", className: "max-w-48" },
  "date-time": { type: "text" },
} as const satisfies Record<NonNullable<TextField["format"]>, object>;

function textRule({ format, minLength, maxLength, pattern }: TextField): string | null {
  return sentence([
    format === null || format === "date" ? null : `such as ${FORMAT_EXAMPLES[format]}`,
    minLength === null ? null : `at least ${minLength} characters`,
    maxLength === null ? null : `at most ${maxLength} characters`,
    pattern === null ? null : `pattern ${visibleText(pattern)}`,
  ]);
}

function numberRule({ integer, minimum, maximum }: NumberField): string | null {
  return sentence([
    integer ? "a whole number" : null,
    minimum === null ? null : `at least ${minimum}`,
    maximum === null ? null : `at most ${maximum}`,
  ]);
}

function amountRule({ minItems, maxItems }: Extract<FormField, { type: "choices" }>): string {
  return (
    sentence([
      "several are possible",
      minItems === null ? null : `at least ${minItems}`,
      maxItems === null ? null : `at most ${maxItems}`,
    ]) ?? ""
  );
}

function sentence(parts: readonly (string | null)[]): string | null {
  const text = parts.filter((part) => part !== null).join(", ");
  return text === "" ? null : text.charAt(0).toUpperCase() + text.slice(1);
}
