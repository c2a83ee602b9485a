import type { ReactElement } from "react";
import { Field, Input } from "../ui/field.tsx";

/** Where a worktree begins. */
export function BaseField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (base: string) => void;
}): ReactElement {
  return (
    <Field label="Base" hint="A branch, tag or commit. Leave empty for the current one.">
      {(ids) => (
        <Input
          {...ids}
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono"
          placeholder="main"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
