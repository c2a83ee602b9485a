import { useId, useState, type FormEvent, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { daysOf, RANGE_NAMES, problemOf, type Range } from "./range.ts";

const NAMES: readonly Range["is"][] = ["24h", "7d", "30d", "90d", "all", "days"];

interface RangeChoiceProps {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
}

export function RangeChoice({ range, onChange }: RangeChoiceProps): ReactElement {
  const name = useId();
  return (
    <div className="flex flex-col gap-3">
      <fieldset>
        <legend className="sr-only">Time</legend>
        <div className="grid grid-cols-3 gap-1 rounded-lg bg-sunken p-1 sm:inline-flex">
          {NAMES.map((is) => (
            <label
              key={is}
              className="touch-target inline-flex h-7 cursor-pointer items-center justify-center rounded-md px-2.5 text-xs font-medium text-muted has-checked:bg-surface has-checked:text-fg has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                className="sr-only"
                name={name}
                value={is}
                checked={range.is === is}
                onChange={() => onChange(rangeNamed(is, range))}
              />
              {RANGE_NAMES[is]}
            </label>
          ))}
        </div>
      </fieldset>
      {range.is === "days" && <Days {...range} onChange={onChange} />}
    </div>
  );
}

/** Custom days start with the previous period. */
function rangeNamed(is: Range["is"], before: Range): Range {
  return is === "days" ? daysOf(before, Date.now()) : { is };
}

const DAY_LABELS = { first: "From", last: "To, included" } as const;

function Days({
  first,
  last,
  onChange,
}: Extract<Range, { is: "days" }> & Pick<RangeChoiceProps, "onChange">): ReactElement {
  const id = useId();
  const [days, setDays] = useState({ first, last });
  const [shown, setShown] = useState(days);
  // A changed URL updates the inputs. A key would reset the focus.
  if (shown.first !== first || shown.last !== last) {
    setShown({ first, last });
    setDays({ first, last });
  }
  const problem = problemOf(days.first, days.last);
  const [isSubmitted, setSubmitted] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSubmitted(problem !== null);
    if (problem === null) onChange({ is: "days", ...days });
  };
  const isWrong = isSubmitted && problem !== null;
  const describe = {
    "aria-invalid": isWrong,
    ...(isWrong && { "aria-describedby": `${id}-problem` }),
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-wrap items-end gap-2">
      {(["first", "last"] as const).map((day) => (
        <div key={day} className="min-w-0 flex-1 sm:flex-none">
          <label htmlFor={`${id}-${day}`} className="text-xs font-medium">
            {DAY_LABELS[day]}
          </label>
          <Input
            id={`${id}-${day}`}
            type="date"
            value={days[day]}
            {...describe}
            onChange={(event) => setDays({ ...days, [day]: event.target.value })}
          />
        </div>
      ))}
      <Button type="submit" tone="primary">
        Show
      </Button>
      {isWrong && (
        <p id={`${id}-problem`} role="alert" className="w-full text-xs text-danger">
          {problem}
        </p>
      )}
    </form>
  );
}
