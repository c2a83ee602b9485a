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
        return (
          <Line
            key={at}
            text={text}
            tokens={tokens ?? null}
            end={index < lines.length - 1 ? "\n" : ""}
          />
        );
      })}
    </>
  );
}

export const CodeText = memo(function CodeText({
  text,
  tokens,
}: {
  readonly text: string;
  readonly tokens: CodeLine | null;
}): ReactElement {
  if (tokens === null) return <>{text}</>;
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
    </>
  );
});

const Line = memo(function Line({
  text,
  tokens,
  end,
}: {
  readonly text: string;
  readonly tokens: CodeLine | null;
  readonly end: string;
}): ReactElement {
  return (
    <>
      <CodeText text={text} tokens={tokens} />
      {end}
    </>
  );
});
