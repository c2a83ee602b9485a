import { ListFilter, X } from "lucide-react";
import { type ReactElement, useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { loaded } from "../../ui/loaded.tsx";
import { chipsOf, type FilterBarProps } from "./filter-words.ts";
import { type ListSearch, narrowedBy } from "../list-search.ts";

const FilterFields = loaded(() => import("./filter-fields.tsx").then((m) => m.FilterFields));

/** What is listed: chips with counts, a button for the other filters, and the filters that are set. */
export function FilterBar(props: FilterBarProps): ReactElement {
  const { look, search, onChange, counts, unknown } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const chips = chipsOf(search, props);
  const { state, outcome, ...others } = search;
  const isAll = state === undefined && outcome === undefined;
  const switchTo = (isOn: boolean, filter: Pick<ListSearch, "state" | "outcome">): void =>
    onChange(isOn ? others : { ...others, ...filter });
  return (
    <div className="flex flex-col gap-1.5 px-3 pb-2">
      <div className="flex flex-wrap items-center gap-1">
        <CountChip
          name="Needs you"
          count={counts.needsYou}
          isOn={state === "suspended"}
          onPress={() => switchTo(state === "suspended", { state: "suspended" })}
        />
        <CountChip
          name="Running"
          count={counts.running}
          isOn={state === "running"}
          onPress={() => switchTo(state === "running", { state: "running" })}
        />
        {/* In a column there is no room for what is rarely needed. */}
        {(look === "page" || counts.failed > 0 || outcome === "failed") && (
          <CountChip
            name="Failed"
            count={counts.failed}
            isOn={outcome === "failed"}
            onPress={() => switchTo(outcome === "failed", { outcome: "failed" })}
          />
        )}
        <CountChip name="All" count={counts.all} isOn={isAll} onPress={() => onChange(others)} />
        <Button
          size="small"
          tone="quiet"
          className="ml-auto"
          title="Filter"
          icon={<ListFilter size={14} aria-hidden="true" />}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen((was) => !was)}
        >
          <span className={look === "page" ? "" : "sr-only"}>Filter</span>
        </Button>
      </div>
      {isOpen && (
        <fieldset id={id} aria-label="Filters">
          <FilterFields {...props} />
        </fieldset>
      )}
      {(chips.length > 0 || unknown.length > 0) && (
        <div className="flex flex-wrap items-center gap-1.5">
          {chips.map(({ name, text, without }) => (
            <SetFilter key={name} text={text} onRemove={() => onChange(without)} />
          ))}
          {unknown.length > 0 && (
            <SetFilter
              text={`Unknown ${unknown.length === 1 ? "filter" : "filters"}: ${unknown.join(", ")}`}
              isUnknown
              onRemove={() => onChange(search)}
            />
          )}
          {narrowedBy(search) + unknown.length > 1 && (
            <Button size="small" tone="quiet" onClick={() => onChange({})}>
              Clear all
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function CountChip({
  name,
  count,
  isOn,
  onPress,
}: {
  readonly name: string;
  readonly count: number;
  readonly isOn: boolean;
  readonly onPress: () => void;
}): ReactElement {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onPress}
      className={classNames(
        "touch-target inline-flex h-7 items-center gap-1 rounded-full border px-2 text-xs font-medium whitespace-nowrap",
        isOn
          ? "border-accent bg-accent-soft text-accent"
          : "border-line bg-surface text-fg hover:bg-hover",
      )}
    >
      {name} <span className="tabular-nums">{count.toLocaleString("en")}</span>
    </button>
  );
}

function SetFilter({
  text,
  isUnknown = false,
  onRemove,
}: {
  readonly text: string;
  readonly isUnknown?: boolean;
  readonly onRemove: () => void;
}): ReactElement {
  return (
    <span
      className={classNames(
        "inline-flex min-h-7 items-center gap-0.5 rounded-md pl-2 text-xs font-medium wrap-anywhere",
        isUnknown ? "bg-warn-soft text-warn" : "bg-accent-soft text-accent",
      )}
    >
      {text}
      <button
        type="button"
        aria-label={`Remove ${text}`}
        onClick={onRemove}
        className="touch-target inline-flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover"
      >
        <X size={14} aria-hidden="true" />
      </button>
    </span>
  );
}
