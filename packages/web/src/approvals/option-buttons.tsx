import { ChevronDown } from "lucide-react";
import { useState, type ReactElement, type ReactNode } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { optionWords, type ApprovalOption, type OptionTone } from "./options.ts";

const LOOKS = {
  allow: "border-ok! text-ok!",
  reject: "border-danger! text-danger!",
  other: "",
} as const satisfies Record<OptionTone, string>;

export interface OptionButtonsProps {
  readonly options: readonly ApprovalOption[];
  /** The requests that an answer for always covers. */
  readonly scope: string;
  readonly inert: boolean;
  /** Until the whole request has been on the screen, it can only be rejected. */
  readonly isRead: boolean;
  /** The option that is being sent. */
  readonly sending: string | null;
  readonly onChoose: (optionId: string) => void;
}

/** The options in the order of their keys. None is focused automatically. */
export function OptionButtons({ options, ...rest }: OptionButtonsProps): ReactElement {
  return (
    <fieldset className="flex min-w-0 flex-wrap items-stretch gap-2">
      <legend className="sr-only">Answers</legend>
      {options.map((option) => (
        <OptionButton key={option.optionId} option={option} {...rest} />
      ))}
    </fieldset>
  );
}

/** For thumbs: reject and allow side by side, the rest behind a button. */
export function ThumbButtons({
  options,
  more,
  ...rest
}: OptionButtonsProps & {
  /** Shown with the other options. */
  readonly more: ReactNode;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const reject = options.find(({ tone }) => tone === "reject");
  const allow = options.find(({ tone }) => tone === "allow");
  const first = [reject, allow].filter((option) => option !== undefined);
  const main = first.length === 0 ? options : first;
  const others = options.filter((option) => !main.includes(option));
  const hasMore = others.length > 0 || Boolean(more);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="sr-only">Answers</legend>
      {isOpen && (
        <div className="flex flex-col gap-2">
          {others.map((option) => (
            <OptionButton key={option.optionId} option={option} {...rest} />
          ))}
          {more}
        </div>
      )}
      <div className="flex items-stretch gap-2">
        <div className={classNames("flex min-w-0 flex-1 gap-2", first.length === 0 && "flex-col")}>
          {main.map((option) => (
            <OptionButton key={option.optionId} option={option} {...rest} isWide />
          ))}
        </div>
        {hasMore && (
          <IconButton
            label={isOpen ? "Fewer answers" : "More answers"}
            aria-expanded={isOpen}
            className="h-auto! border-line-strong/60"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronDown size={18} aria-hidden className={isOpen ? undefined : "rotate-180"} />
          </IconButton>
        )}
      </div>
    </fieldset>
  );
}

function OptionButton({
  option,
  scope,
  inert,
  isRead,
  sending,
  onChoose,
  isWide = false,
}: Omit<OptionButtonsProps, "options"> & {
  readonly option: ApprovalOption;
  readonly isWide?: boolean;
}): ReactElement {
  const { optionId, tone, digit } = option;
  const { text, ofAgent } = optionWords(option, scope);
  const mustRead = !isRead && tone !== "reject";
  const isOff = inert || mustRead;
  return (
    <Button
      aria-disabled={isOff}
      busy={sending === optionId}
      disabled={sending !== null}
      onClick={() => isOff || onChoose(optionId)}
      title={mustRead ? "Review all of it first" : undefined}
      className={classNames(
        "h-auto min-h-9 py-1.5 text-left whitespace-normal pointer-coarse:min-h-11",
        LOOKS[tone],
        isWide && "flex-1",
        isOff && "opacity-60",
      )}
    >
      {digit <= 9 && !isWide && (
        <kbd
          aria-hidden="true"
          className="hidden font-sans text-xs tabular-nums opacity-80 group-[.shows-digits]/card:inline group-focus-within/card:inline pointer-coarse:hidden!"
        >
          {digit}
        </kbd>
      )}
      <span className="flex min-w-0 flex-col wrap-anywhere">
        <span>{text}</span>
        {ofAgent !== null && (
          <span className="text-xs font-normal text-muted">The agent’s words: {ofAgent}</span>
        )}
      </span>
    </Button>
  );
}
