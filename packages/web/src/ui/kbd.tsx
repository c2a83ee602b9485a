import type { ReactElement, ReactNode } from "react";

export function Kbd({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-2xs text-muted">
      {children}
    </kbd>
  );
}
