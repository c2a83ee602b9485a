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

const SIZES = { small: "h-7 px-2 text-xs", normal: "h-9 px-3 text-sm" } as const;
const SQUARES = { small: "size-7", normal: "size-9" } as const;

export interface ButtonProps extends ComponentProps<"button"> {
  readonly tone?: Tone;
  readonly size?: "small" | "normal";
  readonly isSquare?: boolean;
  readonly icon?: ReactNode;
  /** Its action is running: it cannot be pressed. */
  readonly busy?: boolean;
}

export function Button({
  tone = "plain",
  size = "normal",
  isSquare = false,
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
      className={classNames(SHAPE, TONES[tone], (isSquare ? SQUARES : SIZES)[size], className)}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "icon" | "isSquare"> {
  /** The accessible name and the tooltip. */
  readonly label: string;
}

export function IconButton({ label, children, ...rest }: IconButtonProps): ReactElement {
  return (
    <Button aria-label={label} title={label} tone="quiet" {...rest} isSquare icon={children} />
  );
}
