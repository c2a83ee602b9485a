import type { ReactElement } from "react";
import { classNames } from "./class-names.ts";

/** Decorative: a text beside it says what is loading. */
export function Spinner({ className }: { readonly className?: string }): ReactElement {
  return (
    <span
      aria-hidden="true"
      className={classNames(
        "inline-block size-3.5 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent",
        className,
      )}
    />
  );
}
