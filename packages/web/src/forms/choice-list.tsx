import type { FormChoice } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { WRAPPED } from "../approvals/subject-view.tsx";
import { visibleText } from "../approvals/visible-text.ts";
import { classNames } from "../ui/class-names.ts";

/** Radio buttons or check boxes with a large target each. */
export function ChoiceList({
  type,
  name,
  choices,
  chosen,
  invalid,
  errorId,
  disabled,
  onToggle,
}: {
  readonly type: "radio" | "checkbox";
  /** Joins the radio buttons. */
  readonly name: string;
  readonly choices: readonly FormChoice[];
  readonly chosen: readonly string[];
  readonly invalid: boolean;
  readonly errorId: string | undefined;
  readonly disabled: boolean;
  readonly onToggle: (value: string) => void;
}): ReactElement {
  return (
    <div className="flex flex-col gap-1.5">
      {choices.map(({ value, title, description, preview }, index) => {
        const isChosen = chosen.includes(value);
        const describedBy = [description !== null && `${name}-${index}`, errorId].filter(
          (id) => typeof id === "string",
        );
        return (
          <div key={value}>
            <label
              className={classNames(
                "flex min-h-11 cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2.5",
                "has-focus-visible:outline-2 has-focus-visible:outline-accent",
                isChosen ? "border-accent bg-accent-soft" : "border-line-strong/60 hover:bg-hover",
              )}
            >
              <input
                type={type}
                name={name}
                checked={isChosen}
                disabled={disabled}
                aria-invalid={invalid || undefined}
                aria-labelledby={`${name}-${index}-title`}
                aria-describedby={describedBy.length === 0 ? undefined : describedBy.join(" ")}
                onChange={() => onToggle(value)}
                className="mt-0.5 size-4 shrink-0 accent-accent outline-none"
              />
              <span className="flex min-w-0 flex-col">
                <span id={`${name}-${index}-title`} className={`font-medium ${WRAPPED}`}>
                  {visibleText(title)}
                </span>
                {description !== null && (
                  <span id={`${name}-${index}`} className={`text-xs text-muted ${WRAPPED}`}>
                    {visibleText(description)}
                  </span>
                )}
              </span>
            </label>
            {preview !== null && (
              <details className="mt-1 text-xs">
                <summary className="touch-target inline-flex cursor-pointer items-center text-muted">
                  Preview of {visibleText(title)}
                </summary>
                <pre className={`rounded-md bg-sunken px-3 py-2 font-mono ${WRAPPED}`}>
                  {visibleText(preview)}
                </pre>
              </details>
            )}
          </div>
        );
      })}
    </div>
  );
}
