import type { ComponentProps, ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { Spinner } from "./spinner.tsx";

type Tone = "plain" | "primary" | "danger" | "quiet";

const TONES = {
  plain: "border-line-strong/60 bg-surface text-fg hover:bg-hover",
  primary: "border-transparent bg-accent text-accent-fg hover:opacity-90",
  danger: "border-transparent bg-danger text-danger-fg hover:opacity-90",
  quiet: "border-transparent text-fg hover:bg-hover",
} as const satisfies Record<Tone, string>;

const SHAPE =
  "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium select-none " +
  "disabled:opacity-50 disabled:pointer-events-none touch-target";

export interface ButtonProps extends ComponentProps<"button"> {
  readonly tone?: Tone;
  readonly size?: "small" | "normal";
  readonly icon?: ReactNode;
  /** Its action is running: it cannot be pressed. */
  readonly busy?: boolean;
}

export function Button({
  tone = "plain",
  size = "normal",
  icon,
  busy = false,
  disabled,
  className,
  children,
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={classNames(
        SHAPE,
        TONES[tone],
        size === "small" ? "h-7 px-2 text-xs" : "h-9 px-3 text-sm",
        className,
      )}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  /** The accessible name and the tooltip. */
  readonly label: string;
  readonly children: ReactNode;
}

export function IconButton({
  label,
  tone = "quiet",
  size = "normal",
  busy = false,
  disabled,
  className,
  children,
  ...rest
}: IconButtonProps): ReactElement {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={classNames(SHAPE, TONES[tone], size === "small" ? "size-7" : "size-9", className)}
    >
      {busy ? <Spinner /> : children}
    </button>
  );
}
