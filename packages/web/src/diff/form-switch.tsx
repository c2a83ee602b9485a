import { Columns2, Rows2 } from "lucide-react";
import type { ReactElement } from "react";
import { IconButton } from "../ui/button.tsx";
import { chooseDiffForm } from "./diff-choice.ts";
import type { FittingForm } from "./use-fitting-form.ts";

/** Shows diffs in one column or in two. Phones have room for one only. */
export function FormSwitch({
  form: { shown, canSplit },
  onTooNarrow,
}: {
  readonly form: FittingForm;
  /** Two columns were chosen where they do not fit. */
  readonly onTooNarrow: () => void;
}): ReactElement {
  const isSplit = shown === "split";
  const split = (): void => {
    chooseDiffForm("split");
    if (!canSplit) onTooNarrow();
  };
  return (
    <fieldset className="hidden gap-0.5 sm:flex">
      <legend className="sr-only">Show diffs</legend>
      <IconButton
        label="Unified"
        size="small"
        aria-pressed={!isSplit}
        className="aria-pressed:bg-accent-soft"
        onClick={() => chooseDiffForm("unified")}
      >
        <Rows2 size={14} aria-hidden="true" />
      </IconButton>
      <IconButton
        label="Split"
        size="small"
        aria-pressed={isSplit}
        className="aria-pressed:bg-accent-soft"
        onClick={split}
      >
        <Columns2 size={14} aria-hidden="true" />
      </IconButton>
    </fieldset>
  );
}
