import type { ReactElement } from "react";
import type { Link } from "./live-session.ts";

/** Says it when what is shown may not be what is. Nothing otherwise. */
export function LinkLine({ link }: { readonly link: Link }): ReactElement | null {
  if (link === "live" || link === "catching up") return null;
  const text =
    link === "broken"
      ? "Reconnecting. What is shown may be out of date; what you write is kept."
      : `Not connected: ${link.refused}`;
  return (
    <p className="border-b border-line bg-warn-soft px-3 py-1 text-xs text-warn wrap-anywhere sm:px-4">
      {text}
    </p>
  );
}
