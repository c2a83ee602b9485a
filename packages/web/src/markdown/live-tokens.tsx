import type { MarkedToken } from "marked";
import { useMemo, type ReactElement, type ReactNode } from "react";
import remend from "remend";
import { lexTokens } from "./lex-blocks.ts";

/** Half a link is shown by its words until the rest has come. */
const OPTIONS = { linkMode: "text-only", katex: false } as const;

/** A text that is being written: what it has opened counts as closed. */
export function LiveTokens({
  raw,
  children,
}: {
  readonly raw: string;
  readonly children: (tokens: readonly MarkedToken[]) => ReactNode;
}): ReactElement {
  const tokens = useMemo(() => lexTokens(remend(raw, OPTIONS)), [raw]);
  return <>{children(tokens)}</>;
}
