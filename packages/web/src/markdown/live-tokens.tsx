import type { MarkedToken } from "marked";
import { useMemo, type ReactElement, type ReactNode } from "react";
import remend from "remend";
import { lexTokens } from "./lex-blocks.ts";

/** An incomplete link shows only its text. */
const OPTIONS = { linkMode: "text-only", katex: false } as const;

/** Tokens of a growing text, with open syntax closed. */
export function LiveTokens({
  raw,
  children,
}: {
  readonly raw: string;
  readonly children: (tokens: readonly MarkedToken[]) => ReactNode;
}): ReactElement {
  const tokens = useMemo(() => lexTokens(closed(raw)), [raw]);
  return <>{children(tokens)}</>;
}

/** To close many brackets takes the square of their number: then they stay open. */
const MAX_BRACKETS = 400;

function closed(raw: string): string {
  return raw.split("[").length > MAX_BRACKETS ? raw : remend(raw, OPTIONS);
}
