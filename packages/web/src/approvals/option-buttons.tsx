import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import type { ApprovalOption, OptionTone } from "./approval.ts";

const LOOKS = {
  allow: "border-ok! text-ok!",
  reject: "border-danger! text-danger!",
  other: "",
} as const satisfies Record<OptionTone, string>;

/** The options in the order the agent sent. None is focused automatically. */
export function OptionButtons({
  options,
  inert,
  isRead,
  sending,
  onChoose,
}: {
  readonly options: readonly ApprovalOption[];
  readonly inert: boolean;
  /** Until the whole request has been on the screen, it can only be rejected. */
  readonly isRead: boolean;
  /** The option that is being sent. */
  readonly sending: string | null;
  readonly onChoose: (optionId: string) => void;
}): ReactElement {
  return (
    <fieldset className="flex flex-wrap gap-2 min-w-0">
      <legend className="sr-only">Answers</legend>
      {options.map(({ optionId, name, tone, always }, index) => {
        const mustRead = !isRead && tone !== "reject";
        const isOff = inert || mustRead;
        const hint = always ? "For the rest of this session" : undefined;
        return (
          <Button
            key={optionId}
            aria-disabled={isOff}
            busy={sending === optionId}
            disabled={sending !== null}
            onClick={() => isOff || onChoose(optionId)}
            title={mustRead ? "Review all of it first" : hint}
            className={classNames(
              "h-auto min-h-9 pointer-coarse:min-h-11 py-1.5 text-left whitespace-normal",
              LOOKS[tone],
              isOff && "opacity-60",
            )}
          >
            {index < 9 && (
              <span aria-hidden="true" className="text-xs tabular-nums opacity-80">
                {index + 1}
              </span>
            )}
            <span className="wrap-anywhere">{name}</span>
          </Button>
        );
      })}
    </fieldset>
  );
}
