import { defined } from "@holdfast/client";
import {
  PHASES,
  type Provider,
  type Repository,
  type SessionCounts,
  STATES,
  STATUSES,
} from "@holdfast/protocol";
import { ListFilter } from "lucide-react";
import { type ReactElement, useState } from "react";
import { Button } from "../ui/button.tsx";
import { capital } from "../api/session-name.ts";
import { classNames } from "../ui/class-names.ts";
import { type ListSearch, narrowedBy, parseListSearch } from "./list-search.ts";

type Options = readonly (readonly [value: string, name: string])[];

export interface FilterBarProps {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
  readonly counts: SessionCounts | null;
  readonly repositories: readonly Repository[];
  readonly providers: readonly Provider[];
}

const STATE_NAMES = { idle: "Idle", running: "Running", suspended: "Needs you" } as const;

/** The filters of the list; collapsed on phones. */
export function FilterBar(props: FilterBarProps): ReactElement {
  const { search } = props;
  const [isOpen, setOpen] = useState(false);
  const set = narrowedBy(search);
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-3 pb-2 md:px-4">
      <Button
        size="small"
        className="md:hidden"
        icon={<ListFilter size={14} aria-hidden="true" />}
        aria-expanded={isOpen}
        onClick={() => setOpen((was) => !was)}
      >
        Filters{set === 0 ? "" : ` (${set})`}
      </Button>
      <div
        className={classNames(
          "w-full grid-cols-2 gap-1.5 md:flex md:w-auto md:flex-wrap",
          isOpen ? "grid" : "hidden",
        )}
      >
        <Selects {...props} />
      </div>
      <ShowArchived {...props} />
      {set > 0 && (
        <Button
          size="small"
          tone="quiet"
          onClick={() => props.onChange(defined({ q: search.q, archived: search.archived }))}
        >
          Clear
        </Button>
      )}
    </div>
  );
}

function Selects({
  search,
  onChange,
  counts,
  repositories,
  providers,
}: FilterBarProps): ReactElement {
  const counted = (status: (typeof STATUSES)[number]): string =>
    counts === null ? capital(status) : `${capital(status)} (${counts[status]})`;
  const filters: readonly (readonly [
    name: Exclude<keyof ListSearch, "q" | "archived">,
    label: string,
    options: Options,
  ])[] = [
    ["repo", "Repository", repositories.map(({ id, name }) => [id, name])],
    ["status", "Status", STATUSES.map((status) => [status, counted(status)])],
    ["state", "State", STATES.map((state) => [state, STATE_NAMES[state]])],
    ["phase", "Phase", PHASES.map((phase) => [phase, capital(phase)])],
    ["provider", "Provider", providers.map(({ name, title }) => [name, title])],
  ];
  return (
    <>
      {filters.map(([name, label, options]) => (
        <FilterSelect
          key={name}
          label={label}
          value={search[name]}
          options={options}
          onChange={(value) => onChange(parseListSearch({ ...search, [name]: value }))}
        />
      ))}
    </>
  );
}

function ShowArchived({ search, onChange, counts }: FilterBarProps): ReactElement {
  return (
    <label className="inline-flex min-h-7 items-center gap-1.5 px-1 text-xs text-muted pointer-coarse:min-h-11">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={search.archived === true}
        onChange={(event) =>
          onChange(parseListSearch({ ...search, archived: event.target.checked }))
        }
      />
      Show archived{counts === null ? "" : ` (${counts.archived})`}
    </label>
  );
}

/** One filter: shows its name when unset, its value when set. */
function FilterSelect({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: Options;
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
