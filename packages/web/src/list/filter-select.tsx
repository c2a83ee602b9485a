import type { ReactElement } from "react";
import { classNames } from "../ui/class-names.ts";

/** One filter: its name when it is not set, its value when it is. */
export function FilterSelect({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}): ReactElement {
  const isListed = value === undefined || options.some(([each]) => each === value);
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value)}
      className={classNames(
        "touch-target h-7 min-w-0 max-w-44 rounded-md border px-1.5 text-xs max-md:max-w-none",
        value === undefined
          ? "border-line bg-surface text-muted"
          : "border-accent bg-accent-soft font-medium text-accent",
      )}
    >
      <option value="">{value === undefined ? label : `Any ${label.toLowerCase()}`}</option>
      {!isListed && <option value={value}>{value}</option>}
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  );
}
