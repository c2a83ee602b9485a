import { useState, type ReactElement } from "react";
import { CodeText } from "../markdown/code-lines.tsx";
import type { Highlighted } from "../markdown/highlighter.ts";
import type { DiffLine } from "./diff-lines.ts";

const SHOWN_LINES = 80;

/** Where the tokens of a line are: in a text, and at which of its lines. */
export interface LineSource {
  readonly known: Highlighted;
  readonly at: number;
}

type TextLine = Exclude<DiffLine, { readonly line: "gap" }>;

/** The lines of a diff; a long one is shown in part at first. */
export function DiffTable({
  lines,
  sourceOf,
}: {
  readonly lines: readonly DiffLine[];
  readonly sourceOf: (line: TextLine, index: number) => LineSource;
}): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, SHOWN_LINES);
  return (
    <>
      <div className="diff-lines code-text">
        {shown.map((line, index) =>
          line.line === "gap" ? (
            <Gap key={index} count={line.count} />
          ) : (
            <Line key={index} line={line} source={sourceOf(line, index)} />
          ),
        )}
      </div>
      {shown.length < lines.length && (
        <button type="button" className="show-all" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </>
  );
}

function Gap({ count }: { readonly count: number }): ReactElement {
  return (
    <div className="diff-gap">
      {count === 1 ? "1 line" : `${count.toLocaleString("en")} lines`} unchanged
    </div>
  );
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;
const NAMES = { same: null, removed: "Removed: ", added: "Added: " } as const;

function Line({
  line,
  source: { known, at },
}: {
  readonly line: TextLine;
  readonly source: LineSource;
}): ReactElement {
  const tokens = known.source[at] === line.text ? known.lines[at] : undefined;
  return (
    <div className="diff-line" data-line={line.line}>
      <span className="diff-number" aria-hidden>
        {line.line === "removed" ? line.old : line.new}
      </span>
      <span className="diff-sign" aria-hidden>
        {SIGNS[line.line]}
      </span>
      <span className="diff-text">
        {NAMES[line.line] !== null && <span className="sr-only">{NAMES[line.line]}</span>}
        <CodeText text={line.text} tokens={tokens} />
      </span>
    </div>
  );
}
