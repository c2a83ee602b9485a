import { splitFields, type RawPath } from "../raw-path.ts";

/** A file that differs between two snapshots. */
export interface ChangedFile {
  /** Its path afterwards, or before if it was deleted. */
  readonly path: RawPath;
  readonly change: "added" | "modified" | "deleted" | "renamed" | "type_changed";
  /** The path before; null if it was not renamed. */
  readonly from: RawPath | null;
  /** Lines; null for a binary file or a submodule. */
  readonly added: number | null;
  readonly deleted: number | null;
  /** As Git writes it, such as `100644`; null if the file does not exist. */
  readonly modeBefore: string | null;
  readonly modeAfter: string | null;
  /** Object IDs; null if the file does not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

const CHANGES: Readonly<Record<string, ChangedFile["change"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  T: "type_changed",
};

/** Parses the output of `git diff-tree -z --raw --numstat`. */
export function parseChanges(output: Buffer): readonly ChangedFile[] {
  const fields = splitFields(output);
  const files = new Map<string, ChangedFile>();
  let at = 0;
  while (fields[at]?.startsWith(":") === true) {
    const [modeBefore = "", modeAfter = "", before = "", after = "", status = ""] = (
      fields[at] ?? ""
    )
      .slice(1)
      .split(" ");
    const isRename = status.startsWith("R");
    const [first, second] = [fields[at + 1], fields[at + 2]];
    at += isRename ? 3 : 2;
    const path = isRename ? second : first;
    if (path === undefined || first === undefined) break;
    files.set(path, {
      path,
      change: CHANGES[status.slice(0, 1)] ?? "modified",
      from: isRename ? first : null,
      added: null,
      deleted: null,
      modeBefore: isNone(modeBefore) ? null : modeBefore,
      modeAfter: isNone(modeAfter) ? null : modeAfter,
      before: isNone(before) ? null : before,
      after: isNone(after) ? null : after,
    });
  }
  while (at < fields.length) {
    // A name may contain tabs.
    const [added = "", deleted = "", ...names] = (fields[at] ?? "").split("\t");
    const name = names.join("\t");
    // A renamed file has an empty name here, and both names after it.
    const isRename = name === "";
    const path = isRename ? fields[at + 2] : name;
    at += isRename ? 3 : 1;
    const file = path === undefined ? undefined : files.get(path);
    if (file !== undefined && !isSubmodule(file))
      files.set(file.path, { ...file, added: toCount(added), deleted: toCount(deleted) });
  }
  return [...files.values()];
}

function isNone(value: string): boolean {
  return /^0+$/u.test(value);
}

export function isSubmodule({ modeBefore, modeAfter }: ChangedFile): boolean {
  return modeBefore === "160000" || modeAfter === "160000";
}

function toCount(text: string): number | null {
  return text === "-" ? null : Number(text);
}
