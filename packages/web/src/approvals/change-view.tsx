import { useMemo, type ReactElement } from "react";
import { diffLines, type DiffLine } from "../diff/diff-lines.ts";
import { shortPath } from "../tools/short-path.ts";
import { classNames } from "../ui/class-names.ts";
import { WRAPPED } from "./subject-view.tsx";
import { visibleText } from "./visible-text.ts";

export interface FileChange {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}

const LOOKS = {
  same: "text-muted",
  added: "bg-ok-soft text-fg",
  removed: "bg-danger-soft text-fg",
} as const;
const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** All changed lines of a file, wrapped; unchanged lines are counted. */
export function ChangeView({
  change,
  root,
}: {
  readonly change: FileChange;
  readonly root: string | null;
}): ReactElement {
  const { path, oldText, newText } = change;
  const { lines, added, removed } = useMemo(() => diffLines(oldText, newText), [oldText, newText]);
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 bg-sunken px-3 py-1 text-xs">
        <span className={`min-w-0 flex-1 font-mono ${WRAPPED}`}>
          {visibleText(shortPath(path, root))}
        </span>
        {oldText === null && <span className="text-muted">new file</span>}
        <span className="text-ok tabular-nums">+{added}</span>
        <span className="text-danger tabular-nums">−{removed}</span>
      </figcaption>
      <div className="font-mono text-[13px] leading-5">
        {lines.map((line, index) => (
          // Lines never change, so the index is a stable key.
          <Line key={index} line={line} />
        ))}
      </div>
    </figure>
  );
}

function Line({ line }: { readonly line: DiffLine }): ReactElement {
  if (line.line === "gap")
    return <div className="px-3 text-xs text-muted">… {line.count} unchanged lines</div>;
  return (
    <div className={classNames("flex gap-2 px-3", LOOKS[line.line])}>
      <span className="shrink-0 whitespace-pre select-none">{SIGNS[line.line]}</span>
      <span className={`min-w-0 flex-1 ${WRAPPED}`}>{visibleText(line.text) || " "}</span>
    </div>
  );
}
