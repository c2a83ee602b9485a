import { hunkLines, type DiffLine, type Hunk } from "./diff-lines.ts";

/** A file's part of a patch that Git wrote. */
export interface PatchLines {
  readonly lines: readonly DiffLine[];
  readonly isBinary: boolean;
}

const HUNK = /^@@ -(?<old>\d+)(?:,\d+)? \+(?<new>\d+)(?:,\d+)? @@/u;
const BINARY = /^(?:Binary files .* differ|GIT binary patch)$/u;

/** The lines of a unified diff. The last line of one that is cut may be incomplete, so it is left out. */
export function patchLines(patch: string, { isCut }: { readonly isCut: boolean }): PatchLines {
  const all = patch.split("\n").slice(0, isCut || patch.endsWith("\n") ? -1 : undefined);
  const hunks: (Hunk & { readonly lines: string[] })[] = [];
  let isBinary = false;
  for (const line of all) {
    const start = HUNK.exec(line)?.groups;
    if (start !== undefined)
      hunks.push({ oldStart: Number(start["old"]), newStart: Number(start["new"]), lines: [] });
    else if (hunks.length > 0) hunks.at(-1)?.lines.push(line.replace(/\r$/u, ""));
    else if (BINARY.test(line)) isBinary = true;
  }
  return { lines: hunkLines(hunks), isBinary };
}
