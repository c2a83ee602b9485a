import { useId, type ComponentProps, type ReactElement, type ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** Connects an input with its label, hint and error. */
export interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

/** A labelled input with a hint and an error. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
}): ReactElement {
  const id = useId();
  const hasError = typeof error === "string" && error !== "";
  const hasHint = hint !== undefined && hint !== null;
  const describedBy = [hasHint && `${id}-hint`, hasError && `${id}-error`].filter(Boolean);
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": describedBy.length === 0 ? undefined : describedBy.join(" "),
        "aria-invalid": hasError || undefined,
      })}
      {hasHint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {hasError && (
        <p id={`${id}-error`} role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

/** A ref for the input that gets the focus when it appears. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}

const INPUT_CLASS =
  "w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-sm text-fg " +
  "placeholder:text-muted disabled:opacity-60 aria-invalid:border-danger";

export function Input({ className, ...rest }: ComponentProps<"input">): ReactElement {
  return <input {...rest} className={classNames(INPUT_CLASS, "h-9 touch-target", className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">): ReactElement {
  return <textarea {...rest} className={classNames(INPUT_CLASS, "py-2 touch-target", className)} />;
}

export function Select({ className, children, ...rest }: ComponentProps<"select">): ReactElement {
  return (
    <select {...rest} className={classNames(INPUT_CLASS, "h-9 touch-target", className)}>
      {children}
    </select>
  );
}

/** A check box with its text. */
export function Check({
  checked,
  disabled = false,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <label className="touch-target flex min-h-7 items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}

/** Why a form was not accepted. */
export function Problem({ text }: { readonly text: string | null }): ReactElement | null {
  if (text === null) return null;
  return (
    <p
      role="alert"
      // The form may be longer than the dialog.
      ref={(element) => element?.scrollIntoView({ block: "nearest" })}
      className="rounded-md bg-danger-soft px-3 py-2 text-danger wrap-anywhere"
    >
      {text}
    </p>
  );
}
