import { PHASES } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { capital } from "../../api/session-name.ts";
import { Check, Field, Select } from "../../ui/field.tsx";
import { STATUS_WORDS, type FilterBarProps } from "./filter-words.ts";
import { type ListSearch, parseListSearch } from "../list-search.ts";

type Options = readonly (readonly [value: string, name: string])[];

/** The filters that have no chip of their own. */
export function FilterFields({
  search,
  onChange,
  counts,
  repositories,
  agents,
}: FilterBarProps): ReactElement {
  const filters: readonly (readonly [
    name: "repo" | "provider" | "status" | "phase",
    label: string,
    options: Options,
  ])[] = [
    ["repo", "Repository", repositories.map(({ id, name }) => [id, name])],
    ["provider", "Agent", agents.map(({ name, title }) => [name, title])],
    ["status", "Status", Object.entries(STATUS_WORDS)],
    ["phase", "Phase", PHASES.map((phase) => [phase, capital(phase)])],
  ];
  const change = (changes: Readonly<Record<string, unknown>>): void =>
    onChange(parseListSearch({ ...search, ...changes }));
  return (
    <div className="flex flex-col gap-2 rounded-md bg-sunken p-3">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-2">
        {filters.map(([name, label, options]) => (
          <FilterField
            key={name}
            label={label}
            value={search[name]}
            options={options}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      <Check
        checked={search.archived === true}
        onChange={(archived) => change({ archived })}
      >{`Show archived (${counts.archived.toLocaleString("en")})`}</Check>
    </div>
  );
}

function FilterField({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: ListSearch["repo" | "status" | "phase"];
  readonly options: Options;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const isListed = value === undefined || options.some(([each]) => each === value);
  return (
    <Field label={label}>
      {(ids) => (
        <Select {...ids} value={value ?? ""} onChange={(event) => onChange(event.target.value)}>
          <option value="">Any</option>
          {!isListed && <option value={value}>{value}</option>}
          {options.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
