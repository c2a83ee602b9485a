import type { ChangedFile, Changes } from "@holdfast/protocol";
import { useState, type KeyboardEvent, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { countsName, filesText } from "./counts.ts";
import { FileRow, type FileViewProps } from "./file-row.tsx";
import type { Scope } from "./scope.ts";
import "../tools/tools.css";
import "./changes.css";

const AT_ONCE = 200;

/** The changed files, each with its diff. */
export function FileList({
  scope,
  changes,
  ...view
}: FileViewProps & {
  readonly scope: Scope;
  readonly changes: Changes;
}): ReactElement {
  const [count, setCount] = useState(AT_ONCE);
  const { available, reason, files, isCut, tooLarge, counts } = changes;
  if (!available) return <p className="text-muted">{reason ?? "The changes are not known."}</p>;
  const left = files.length - count;
  return (
    <>
      {files.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons are reached with arrow keys, too
        <ul
          aria-label={`Changed files: ${countsName(counts)}`}
          className="file-list"
          onKeyDown={moveFocus}
        >
          {files.slice(0, count).map((file: ChangedFile) => (
            <FileRow key={file.path} {...view} scope={scope} file={file} />
          ))}
        </ul>
      )}
      {left > 0 && (
        <Button size="small" onClick={() => setCount(count + AT_ONCE)}>
          Show more files ({left.toLocaleString("en")} left)
        </Button>
      )}
      {isCut && (
        <p className="text-xs text-muted">
          Only the first {files.length.toLocaleString("en")} files are listed.
        </p>
      )}
      {tooLarge > 0 && (
        <p className="text-xs text-muted">
          {filesText(tooLarge)} {tooLarge === 1 ? "is" : "are"} too large to be compared.
        </p>
      )}
    </>
  );
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrow keys move between files. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = STEPS[event.key];
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>("button.fold-line")];
  const at = lines.findIndex((line) => line === event.target);
  if (step === undefined || at === -1) return;
  event.preventDefault();
  lines[step(at, lines.length - 1)]?.focus();
}
