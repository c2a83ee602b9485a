import { rm } from "node:fs/promises";
import path from "node:path";
import { newDraft } from "../drafts.ts";
import { GitFault } from "../git-fault.ts";
import type { OwnGitFolder } from "../own-git-folder.ts";
import { splitPaths, type RawPath } from "../raw-path.ts";

export interface Candidates {
  /** Files of the index that seem to have changed. */
  readonly changed: readonly RawPath[];
  /** Files of the index that are not there any more. */
  readonly gone: readonly RawPath[];
  /** Files of the index in whose place is another repository. */
  readonly replaced: readonly RawPath[];
  readonly added: readonly RawPath[];
  /** Other repositories that are not in the index. */
  readonly nested: readonly RawPath[];
}

/** One search for changed files, and one for new ones, at the same time. */
const FIND = `
git ls-files --others --exclude-standard -z > "$1" &
git diff-files --raw --no-renames -z --ignore-submodules=dirty || exit
wait $! || exit
printf '\\0'
cat "$1"
`;

const FIND_CHANGED = `
git diff-files --raw --no-renames -z --ignore-submodules=dirty || exit
printf '\\0'
`;

/** `onlyKnown`: without files that are not in the index. */
export async function findCandidates(
  own: OwnGitFolder,
  { onlyKnown }: { readonly onlyKnown: boolean },
): Promise<Candidates> {
  const list = path.join(own.path, newDraft());
  try {
    const script = onlyKnown ? FIND_CHANGED : FIND;
    const { stdout, ended } = await own.shell(script, [list], { mayBeCut: true });
    if (ended !== null)
      throw new GitFault("The files could not be listed: there are too many.", { isLasting: true });
    const middle = endOfFirst(stdout);
    const others = splitPaths(stdout.subarray(middle));
    return {
      ...sortKnown(splitPaths(stdout.subarray(0, middle))),
      added: others.filter((each) => !each.endsWith("/")),
      nested: others.flatMap((each) => (each.endsWith("/") ? withoutSlash(each) : [])),
    };
  } finally {
    await rm(list, { force: true });
  }
}

const SUBMODULE = "160000";

/** Each file is a field such as `:100644 000000 5626abf 0000000 D`, and one with its name. */
function sortKnown(fields: readonly RawPath[]): Omit<Candidates, "added" | "nested"> {
  const changed: RawPath[] = [];
  const gone: RawPath[] = [];
  const replaced: RawPath[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [what = "", file] = [fields[at], fields[at + 1]];
    const [before, after] = what.slice(1).split(" ");
    if (file === undefined) continue;
    if (what.endsWith(" D")) gone.push(file);
    else if (after === SUBMODULE && before !== SUBMODULE) replaced.push(file);
    else changed.push(file);
  }
  return { changed, gone, replaced };
}

/** The lists are separated by an empty name. */
function endOfFirst(bytes: Buffer): number {
  if (bytes[0] === 0) return 0;
  return bytes.indexOf("\0\0", 0, "latin1") + 1;
}

function withoutSlash(folder: RawPath): readonly RawPath[] {
  return splitPaths(Buffer.from(folder.slice(0, -1), "latin1"));
}
