import { MessageSquarePlus } from "lucide-react";
import { useMemo, useRef, useState, useSyncExternalStore, type ReactElement } from "react";
import { DiffTable, numberOf, type DiffTableProps, type LineMarks } from "../diff/diff-table.tsx";
import type { DiffLine } from "../diff/diff-lines.ts";
import { Button } from "../ui/button.tsx";
import { CommentForm } from "./comment-form.tsx";
import { CommentNote } from "./comment-note.tsx";
import { indexOf, quoteOf, type LineComment, type LineRange } from "./line-comments.ts";
import { LineFields } from "./line-fields.tsx";
import { lineComments, useComments } from "./page-comments.ts";
import { useSelection } from "./use-selection.ts";
import { useWhenGone } from "./use-when-gone.ts";
import "./comments.css";

interface CommentedProps extends Omit<DiffTableProps, "marks"> {
  readonly sessionId: string;
  readonly path: string;
}

/** The lines of a diff, on which a person can comment. */
export function CommentedDiff({ sessionId, path, ...table }: CommentedProps): ReactElement {
  const { lines } = table;
  const all = useComments(sessionId);
  const { placed, outdated } = useMemo(() => placesOf(all, path, lines), [all, path, lines]);
  const selection = useSelection();
  const { range, isWriting } = selection;
  const host = useRef<HTMLDivElement>(null);
  const isCoarse = useSyncExternalStore(subscribe, () => COARSE.matches);
  const firstIndex = useMemo(() => lines.findIndex(({ line }) => line !== "gap"), [lines]);
  const quote = range === null ? null : quoteOf(lines, range);

  const [text, setText] = useState("");
  const save = (): void => {
    if (quote !== null && text.trim() !== "") lineComments.add(sessionId, { path, text, ...quote });
  };
  // What was typed is kept when the diff is folded or its panel closed.
  useWhenGone(save);

  const finish = (index: number): void => {
    selection.clear();
    setText("");
    const number = host.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    number?.focus({ preventScroll: true });
  };
  const marks: LineMarks = {
    isMarked: (index) => range !== null && range.from <= index && index <= range.to,
    number: (index, line) => {
      const number = numberOf(line);
      if (isCoarse)
        return (
          <span className="diff-number" aria-hidden>
            {number}
          </span>
        );
      const name = line.line === "removed" ? "removed line" : "line";
      return (
        <button
          type="button"
          className="diff-number diff-mark"
          data-index={index}
          tabIndex={index === (selection.current ?? firstIndex) ? 0 : -1}
          aria-label={`Comment on ${name} ${number}`}
          onPointerDown={(event) => selection.onPointerDown(index, event)}
          onPointerEnter={(event) => selection.onPointerEnter(index, event)}
          onClick={() => selection.onClick(index)}
          onKeyDown={(event) => selection.onKeyDown(index, event)}
          onFocus={() => selection.onFocus(index)}
        >
          {number}
        </button>
      );
    },
    below: (index) => (
      <>
        {placed.get(index)?.map((comment) => (
          <CommentNote key={comment.id} sessionId={sessionId} comment={comment} />
        ))}
        {isWriting && range?.to === index && quote !== null && (
          <CommentForm
            label={`Comment on ${quote.where}`}
            text={text}
            onText={setText}
            action="Add comment"
            onCancel={() => finish(index)}
            onSave={() => {
              save();
              finish(index);
            }}
          >
            {isCoarse && <LineFields lines={lines} range={range} onChange={selection.select} />}
          </CommentForm>
        )}
      </>
    ),
  };
  return (
    <div ref={host} className="commented-diff">
      <DiffTable {...table} marks={marks} />
      {outdated.map((comment) => (
        <CommentNote key={comment.id} sessionId={sessionId} comment={comment} isOutdated />
      ))}
      {isCoarse && !isWriting && (
        <p className="border-t border-line p-1">
          <Button
            size="small"
            tone="quiet"
            icon={<MessageSquarePlus size={14} aria-hidden="true" />}
            onClick={() => selection.select(firstChange(lines))}
          >
            Comment
          </Button>
        </p>
      )}
    </div>
  );
}

/** Thumbs cannot hit the number of a line: there the lines are chosen in the form. */
const COARSE = matchMedia("(pointer: coarse)");

function subscribe(listener: () => void): () => void {
  COARSE.addEventListener("change", listener);
  return () => COARSE.removeEventListener("change", listener);
}

function firstChange(lines: readonly DiffLine[]): LineRange {
  const isText = ({ line }: DiffLine): boolean => line === "added" || line === "same";
  const added = lines.findIndex(({ line }) => line === "added");
  const index = Math.max(0, added === -1 ? lines.findIndex(isText) : added);
  return { from: index, to: index };
}

/** The comments of a file by the line below which they stand, and those whose lines are gone. */
function placesOf(
  comments: readonly LineComment[],
  path: string,
  lines: readonly DiffLine[],
): {
  readonly placed: ReadonlyMap<number, readonly LineComment[]>;
  readonly outdated: readonly LineComment[];
} {
  const placed = new Map<number, LineComment[]>();
  const outdated: LineComment[] = [];
  for (const comment of comments) {
    if (comment.path !== path) continue;
    const index = indexOf(lines, comment);
    if (index === null) outdated.push(comment);
    else placed.set(index, [...(placed.get(index) ?? []), comment]);
  }
  return { placed, outdated };
}
