import type { KeyboardEvent, ReactElement } from "react";
import { Field, TextArea } from "../ui/field.tsx";

/** The message of a new session. Ctrl Enter submits the form. */
export function MessageField({
  label,
  hint,
  placeholder,
  value,
  onChange,
  onSubmit,
}: {
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (message: string) => void;
  readonly onSubmit: () => void;
}): ReactElement {
  const submitByKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <TextArea
          {...ids}
          data-autofocus
          rows={4}
          placeholder={placeholder}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={submitByKey}
        />
      )}
    </Field>
  );
}
