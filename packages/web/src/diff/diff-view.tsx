import { memo, useMemo, type ReactElement } from "react";
import { grammarOfPath } from "../markdown/languages.ts";
import { useHighlight } from "../markdown/use-highlight.tsx";
import { diffLines } from "./diff-lines.ts";
import { DiffTable } from "./diff-table.tsx";
import { shortPath } from "../tools/short-path.ts";
import { useToolSurroundings } from "../tools/tool-context.tsx";

export interface DiffViewProps {
  /** The identity of the diff. */
  readonly diffKey: string;
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** The changes of a file. */
export const DiffView = memo(function DiffView({
  diffKey,
  path,
  oldText,
  newText,
}: DiffViewProps): ReactElement {
  const { root } = useToolSurroundings();
  const { lines, added, removed } = useMemo(() => diffLines(oldText, newText), [oldText, newText]);
  const grammar = grammarOfPath(path);
  const oldLines = useLines(oldText ?? "");
  const newLines = useLines(newText);
  const knownOld = useHighlight(`${diffKey}-`, { grammar, lines: oldLines });
  const knownNew = useHighlight(`${diffKey}+`, { grammar, lines: newLines });
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
        <DiffTable
          lines={lines}
          sourceOf={(line) =>
            line.line === "removed"
              ? { known: knownOld, at: line.old - 1 }
              : { known: knownNew, at: line.new - 1 }
          }
        />
      )}
    </figure>
  );
});

function useLines(text: string): readonly string[] {
  return useMemo(() => text.replaceAll("\r\n", "\n").split("\n"), [text]);
}
