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

/** To close syntax can take the square of the length of a text: only the last lines of a long block are closed. */
const MAX_LENGTH = 4_000;
/** To close many brackets takes the square of their number: then they stay open. */
const MAX_BRACKETS = 100;
const FENCE = /```|~~~/u;

function closed(raw: string): string {
  const start = raw.length > MAX_LENGTH ? raw.indexOf("\n", raw.length - MAX_LENGTH) + 1 : 0;
  const end = raw.slice(start);
  // The end of a long line cannot be judged without its start, and the end of code is not syntax.
  if (start === 0 ? raw.length > MAX_LENGTH : FENCE.test(raw)) return raw;
  return end.split("[").length > MAX_BRACKETS ? raw : raw.slice(0, start) + remend(end, OPTIONS);
}
