import type { ChangedFile } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { classNames } from "../ui/class-names.ts";

const LETTERS = {
  added: { letter: "A", name: "Added", color: "text-ok" },
  modified: { letter: "M", name: "Modified", color: "text-warn" },
  deleted: { letter: "D", name: "Deleted", color: "text-danger" },
  renamed: { letter: "R", name: "Renamed", color: "text-accent" },
  type_changed: { letter: "T", name: "Type changed", color: "text-warn" },
} as const satisfies Record<ChangedFile["change"], object>;

/** The letter of Git for a change. */
export function FileLetter({ change }: Pick<ChangedFile, "change">): ReactElement {
  const { letter, name, color } = LETTERS[change];
  return (
    <span title={name} className={classNames("shrink-0 font-mono text-xs font-semibold", color)}>
      <span aria-hidden="true">{letter}</span>
      <span className="sr-only">{name}</span>
    </span>
  );
}
