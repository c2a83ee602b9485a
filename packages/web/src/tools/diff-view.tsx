import { memo, useMemo, useState, type ReactElement } from "react";
import { CodeText } from "../markdown/code-lines.tsx";
import type { Highlighted } from "../markdown/highlighter.ts";
import { grammarOfPath } from "../markdown/languages.ts";
import { useHighlight } from "../markdown/use-highlight.tsx";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import { shortPath } from "./short-path.ts";
import { useToolSurroundings } from "./tool-context.tsx";

export interface DiffViewProps {
  /** The identity of the diff. */
  readonly diffKey: string;
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

const SHOWN_LINES = 80;

/** The changes of a file. */
export const DiffView = memo(function DiffView({
  diffKey,
  path,
  oldText,
  newText,
}: DiffViewProps): ReactElement {
  const { root } = useToolSurroundings();
  const [isWhole, setWhole] = useState(false);
  const { lines, added, removed } = useMemo(() => diffLines(oldText, newText), [oldText, newText]);
  const grammar = grammarOfPath(path);
  const oldLines = useLines(oldText ?? "");
  const newLines = useLines(newText);
  const knownOld = useHighlight(`${diffKey}-`, { grammar, lines: oldLines });
  const knownNew = useHighlight(`${diffKey}+`, { grammar, lines: newLines });
  const shown = isWhole ? lines : lines.slice(0, SHOWN_LINES);
  const name = shortPath(path, root);
  return (
    <figure className="diff" aria-label={`Changes in ${name}`}>
      <figcaption>
        <span className="diff-path">{name}</span>
        {oldText === null && <span>new file</span>}
        <span className="diff-added">+{added}</span>
        <span className="diff-removed">−{removed}</span>
      </figcaption>
      {lines.length === 0 ? (
        <p className="diff-nothing">No changes.</p>
      ) : (
        <div className="diff-lines code-text">
          {shown.map((line, index) => (
            <Line key={index} line={line} known={line.line === "removed" ? knownOld : knownNew} />
          ))}
        </div>
      )}
      {shown.length < lines.length && (
        <button type="button" className="show-all" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </figure>
  );
});

function useLines(text: string): readonly string[] {
  return useMemo(() => text.replaceAll("\r\n", "\n").split("\n"), [text]);
}

const SIGNS = { same: " ", removed: "−", added: "+" } as const;
const NAMES = { same: null, removed: "Removed: ", added: "Added: " } as const;

function Line({
  line,
  known,
}: {
  readonly line: DiffLine;
  readonly known: Highlighted;
}): ReactElement {
  if (line.line === "gap") {
    return (
      <div className="diff-gap">
        {line.count === 1 ? "1 line" : `${line.count.toLocaleString("en")} lines`} unchanged
      </div>
    );
  }
  const number = line.line === "removed" ? line.old : line.new;
  const tokens = known.source[number - 1] === line.text ? known.lines[number - 1] : undefined;
  return (
    <div className="diff-line" data-line={line.line}>
      <span className="diff-number" aria-hidden>
        {number}
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
