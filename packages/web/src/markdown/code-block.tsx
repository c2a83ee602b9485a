import { memo, useMemo, type ReactElement } from "react";
import { CodeLines } from "./code-lines.tsx";
import { CopyButton } from "./copy-button.tsx";
import { grammarOf } from "./languages.ts";
import { useHighlight } from "./use-highlight.tsx";

export interface CodeBlockProps {
  /** Which code it is, also while it grows. */
  readonly codeKey: string;
  readonly code: string;
  readonly lang: string;
  /** Whether the last line may go on. */
  readonly live: boolean;
  /** Long code is shown in parts, one below the other: the lines from here… */
  readonly from?: number;
  /** …until before here. */
  readonly to?: number;
}

export const CodeBlock = memo(function CodeBlock({
  codeKey,
  code,
  lang,
  live,
  from = 0,
  to = Infinity,
}: CodeBlockProps): ReactElement {
  const lines = useMemo(() => code.split("\n"), [code]);
  const shown = useMemo(() => lines.slice(from, to), [lines, from, to]);
  const whole = useMemo(
    () => lines.slice(0, Math.min(to, live ? lines.length - 1 : lines.length)),
    [lines, to, live],
  );
  const known = useHighlight(codeKey, { grammar: grammarOf(lang), lines: whole });
  const isFirst = from === 0;
  const isLast = to >= lines.length;
  return (
    <div className="code-block" data-first={isFirst} data-last={isLast}>
      {isFirst && (
        <div className="code-head">
          <span>{lang.trim().split(/\s/u)[0] || "text"}</span>
          <CopyButton label="Copy code" text={() => code} />
        </div>
      )}
      <pre>
        <code>
          <CodeLines lines={shown} from={from} known={known} />
        </code>
      </pre>
    </div>
  );
});
