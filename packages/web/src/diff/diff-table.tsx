import { useMemo, useState, type ReactElement, type ReactNode } from "react";
import { CodeText } from "../markdown/code-lines.tsx";
import type { Highlighted } from "../markdown/highlighter.ts";
import type { DiffForm } from "./diff-choice.ts";
import type { DiffLine } from "./diff-lines.ts";
import { splitRows } from "./split-rows.ts";
import "./diff.css";

const SHOWN_LINES = 80;

/** Where the tokens of a line are: in a text, and at which of its lines. */
export interface LineSource {
  readonly known: Highlighted;
  readonly at: number;
}

export type TextLine = Exclude<DiffLine, { readonly line: "gap" }>;

/** Adds to the lines of a diff, which it names by their indexes. */
export interface LineMarks {
  /** Replaces the number of a line. */
  readonly number: (index: number, line: TextLine) => ReactElement;
  readonly isMarked: (index: number) => boolean;
  /** Stands below a line. */
  readonly below: (index: number) => ReactNode;
}

export interface DiffTableProps {
  readonly lines: readonly DiffLine[];
  readonly sourceOf: (line: TextLine, index: number) => LineSource;
  readonly form?: DiffForm;
  readonly marks?: LineMarks;
}

/** The lines of a diff; a long one is shown in part at first. */
export function DiffTable(props: DiffTableProps): ReactElement {
  const { lines, form = "unified" } = props;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, SHOWN_LINES);
  const Rows = form === "split" ? SplitRows : UnifiedRows;
  return (
    <>
      <div className="diff-lines code-text">
        <Rows {...props} lines={shown} />
      </div>
      {shown.length < lines.length && (
        <button type="button" className="show-all" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </>
  );
}

function UnifiedRows({ lines, ...rest }: DiffTableProps): ReactNode {
  return lines.map((line, index) =>
    line.line === "gap" ? (
      <Gap key={index} count={line.count} />
    ) : (
      <Line key={index} {...rest} line={line} index={index} />
    ),
  );
}

function SplitRows({ lines, ...rest }: DiffTableProps): ReactNode {
  const rows = useMemo(() => splitRows(lines), [lines]);
  return rows.map((row, at) =>
    row.row === "gap" ? (
      <Gap key={at} count={row.count} />
    ) : (
      <SplitLine key={at} {...rest} lines={lines} left={row.left} right={row.right} />
    ),
  );
}

function SplitLine({
  lines,
  left,
  right,
  marks,
  sourceOf,
}: DiffTableProps & { readonly left: number | null; readonly right: number | null }): ReactElement {
  const old = textLineAt(lines, left);
  const fresh = textLineAt(lines, right);
  return (
    <>
      <div className="diff-split">
        {old === null || left === null ? (
          <div className="diff-none" />
        ) : (
          <Cells
            line={old}
            source={sourceOf(old, left)}
            // A line that did not change stands on both sides. Its mark is on the right.
            number={left === right && old.line === "same" ? old.old : marks?.number(left, old)}
            isMarked={left !== right && marks?.isMarked(left) === true}
            isCopy={left === right}
          />
        )}
        {fresh === null || right === null ? (
          <div className="diff-none" />
        ) : (
          <Cells
            line={fresh}
            source={sourceOf(fresh, right)}
            number={marks?.number(right, fresh)}
            isMarked={marks?.isMarked(right) === true}
          />
        )}
      </div>
      {left !== null && left !== right && marks?.below(left)}
      {right !== null && marks?.below(right)}
    </>
  );
}

function textLineAt(lines: readonly DiffLine[], index: number | null): TextLine | null {
  const line = index === null ? undefined : lines[index];
  return line === undefined || line.line === "gap" ? null : line;
}

function Gap({ count }: { readonly count: number }): ReactElement {
  return (
    <div className="diff-gap">
      {count === 1 ? "1 line" : `${count.toLocaleString("en")} lines`} unchanged
    </div>
  );
}

function Line({
  line,
  index,
  marks,
  sourceOf,
}: Omit<DiffTableProps, "lines"> & {
  readonly line: TextLine;
  readonly index: number;
}): ReactElement {
  return (
    <>
      <Cells
        line={line}
        source={sourceOf(line, index)}
        number={marks?.number(index, line)}
        isMarked={marks?.isMarked(index) === true}
      />
      {marks?.below(index)}
    </>
  );
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;
const NAMES = { same: null, removed: "Removed: ", added: "Added: " } as const;

function Cells({
  line,
  source: { known, at },
  number,
  isMarked = false,
  isCopy = false,
}: {
  readonly line: TextLine;
  readonly source: LineSource;
  readonly number?: ReactNode;
  readonly isMarked?: boolean;
  /** Screen readers read it on the other side. */
  readonly isCopy?: boolean;
}): ReactElement {
  const tokens = known.source[at] === line.text ? known.lines[at] : undefined;
  return (
    <div
      className="diff-line"
      data-line={line.line}
      data-marked={isMarked || undefined}
      aria-hidden={isCopy || undefined}
    >
      {typeof number === "object" ? (
        number
      ) : (
        <span className="diff-number" aria-hidden>
          {number ?? numberOf(line)}
        </span>
      )}
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

/** A removed line has only its old number. */
export function numberOf(line: TextLine): number {
  return line.line === "removed" ? line.old : line.new;
}
