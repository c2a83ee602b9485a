import { memo, type ReactElement } from "react";
import type { CodeLine } from "./highlight-messages.ts";
import type { Highlighted } from "./highlighter.ts";

/** Lines of code, highlighted where tokens are known. */
export function CodeLines({
  lines,
  from = 0,
  known,
}: {
  readonly lines: readonly string[];
  /** The index of the first line. */
  readonly from?: number;
  readonly known: Highlighted;
}): ReactElement {
  return (
    <>
      {lines.map((text, index) => {
        const at = from + index;
        const tokens = known.source[at] === text ? known.lines[at] : undefined;
        const end = index < lines.length - 1 ? "\n" : "";
        return <CodeText key={at} text={text} tokens={tokens} end={end} />;
      })}
    </>
  );
}

export const CodeText = memo(function CodeText({
  text,
  tokens = [[text, ""]],
  end = "",
}: {
  readonly text: string;
  /** Missing until the line is highlighted. */
  readonly tokens: CodeLine | undefined;
  readonly end?: string;
}): ReactElement {
  return (
    <>
      {tokens.map(([piece, kind], index) =>
        kind === "" ? (
          piece
        ) : (
          <span key={index} className={`tk-${kind}`}>
            {piece}
          </span>
        ),
      )}
      {end}
    </>
  );
});
