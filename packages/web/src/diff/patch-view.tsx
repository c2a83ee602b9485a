import { useMemo, type ReactElement } from "react";
import { CommentedDiff } from "../comments/commented-diff.tsx";
import { grammarOfPath } from "../markdown/languages.ts";
import { useHighlight } from "../markdown/use-highlight.tsx";
import type { DiffForm } from "./diff-choice.ts";
import type { DiffLine } from "./diff-lines.ts";
import { DiffTable, type DiffTableProps } from "./diff-table.tsx";
import { patchLines } from "./patch-lines.ts";

/** The diff of a file, on which a person can comment. */
export function PatchView({
  sessionId,
  diffKey,
  path,
  patch,
  isCut,
  form,
  canComment,
}: {
  readonly sessionId: string;
  /** The identity of the diff. */
  readonly diffKey: string;
  readonly path: string;
  readonly patch: string;
  readonly isCut: boolean;
  readonly form: DiffForm;
  readonly canComment: boolean;
}): ReactElement {
  const { lines, isBinary } = useMemo(() => patchLines(patch, { isCut }), [patch, isCut]);
  const sides = useMemo(() => sidesOf(lines), [lines]);
  const grammar = grammarOfPath(path);
  const knownOld = useHighlight(`${diffKey}-`, { grammar, lines: sides.old });
  const knownNew = useHighlight(`${diffKey}+`, { grammar, lines: sides.new });
  const table: DiffTableProps = {
    lines,
    form,
    sourceOf: (line, index) => ({
      known: line.line === "removed" ? knownOld : knownNew,
      at: sides.at[index] ?? -1,
    }),
  };
  return (
    <figure className="diff" aria-label={`Changes in ${path}`}>
      {lines.length === 0 && (
        <p className="diff-nothing">
          {isBinary ? "A binary file has no lines to show." : "Its text did not change."}
        </p>
      )}
      {lines.length > 0 &&
        (canComment ? (
          <CommentedDiff sessionId={sessionId} path={path} {...table} />
        ) : (
          <DiffTable {...table} />
        ))}
      {isCut && (
        <p className="diff-nothing">
          The diff is longer than 1 MiB. The rest is only in the patch that you can download.
        </p>
      )}
    </figure>
  );
}

/** The shown lines before and after the change, and where each line of the diff is among them. */
function sidesOf(lines: readonly DiffLine[]): {
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly at: readonly number[];
} {
  const before: string[] = [];
  const after: string[] = [];
  const at = lines.map((line) => {
    if (line.line === "gap") return -1;
    if (line.line !== "added") before.push(line.text);
    if (line.line !== "removed") after.push(line.text);
    return (line.line === "removed" ? before : after).length - 1;
  });
  return { old: before, new: after, at };
}
