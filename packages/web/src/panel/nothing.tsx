import type { ReactElement, ReactNode } from "react";

/** In place of a tab that has nothing to show yet. */
export function Nothing({ children }: { readonly children: ReactNode }): ReactElement {
  return <p className="py-10 text-center text-muted">{children}</p>;
}
