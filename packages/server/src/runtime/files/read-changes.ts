import type { ChangeCounts } from "../../domain/files/working-files.ts";
import { GitFault } from "../../git/git-fault.ts";
import { shownPath } from "../../git/raw-path.ts";
import type { ChangedFile } from "../../git/snapshot/changed-file.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import {
  findRange,
  stepsOf,
  type FileRange,
  type RangeQuery,
  type Step,
  type UnknownRange,
} from "./file-range.ts";
import { countChanges } from "./session-files.ts";

export interface Changes {
  readonly available: boolean;
  readonly reason: string | null;
  readonly isLive: boolean;
  readonly counts: ChangeCounts;
  readonly files: readonly ListedFile[];
  readonly isCut: boolean;
  readonly tooLarge: number;
}

/** A changed file as people see it. */
export interface ListedFile extends Omit<ChangedFile, "path" | "from" | "before" | "after"> {
  readonly path: string;
  readonly from: string | null;
  /** `others`: it changed only while no run of the session was at work. */
  readonly by: "session" | "others" | "both";
}

type Needed = Pick<RuntimeContext, "store" | "files">;

const MAX_FILES = 5_000;
const MAX_DIFF_BYTES = 1024 * 1024;
const MAX_PATCH_BYTES = 64 * 1024 * 1024;
/** More steps than this are not compared one by one. */
const MAX_STEPS = 200;

export async function readChanges(context: Needed, query: RangeQuery): Promise<Reply<Changes>> {
  const range = await findRange(context, query);
  if ("refusal" in range) return range;
  if ("unknown" in range) return { ok: true, ...nothingKnown(range.unknown) };
  try {
    const { git } = context.files;
    const { folder, before, after, isLive, tooLarge } = range;
    const changed = await git.changes(folder, { before, after });
    const authors = query.run === undefined ? await authorsOf(context, range) : null;
    const files = changed
      .map((file) => listed(file, authors?.(file) ?? "session"))
      .toSorted((one, other) => compare(one.path, other.path));
    return {
      ok: true,
      available: true,
      reason: null,
      isLive,
      counts: countChanges(changed),
      files: files.slice(0, MAX_FILES),
      isCut: files.length > MAX_FILES,
      tooLarge,
    };
  } catch (error) {
    if (error instanceof GitFault) return { ok: true, ...nothingKnown(error.message) };
    throw error;
  }
}

export interface PatchReply {
  readonly patch: string;
  readonly isCut: boolean;
}

export interface FileDiffReply extends PatchReply {
  readonly path: string;
}

/** The unified diff of one file. */
export async function readFileDiff(
  context: Needed,
  { path, ...query }: RangeQuery & { readonly path: string },
): Promise<Reply<FileDiffReply>> {
  return inRange(context, query, async ({ folder, before, after }) => {
    const { git } = context.files;
    const changed = await git.changes(folder, { before, after });
    const file = changed.find((each) => shownPath(each.path) === path);
    if (file === undefined)
      return refuse("path_not_found", `${JSON.stringify(path)} is not among the changed files.`);
    const diff = await git.fileDiff(folder, { before, after }, file, MAX_DIFF_BYTES);
    return { ok: true, path, ...diff };
  });
}

/** A patch of all changes that `git apply` takes. */
export async function readPatch(context: Needed, query: RangeQuery): Promise<Reply<PatchReply>> {
  return inRange(context, query, async ({ folder, before, after }) => {
    const patch = await context.files.git.patch(folder, { before, after }, MAX_PATCH_BYTES);
    // A part of a patch cannot be applied.
    if (patch.isCut) return changesUnknown({ unknown: "The patch is larger than 64 MiB." });
    return { ok: true, ...patch };
  });
}

async function inRange<Value>(
  context: Needed,
  query: RangeQuery,
  read: (range: FileRange) => Promise<Reply<Value>>,
): Promise<Reply<Value>> {
  const range = await findRange(context, query);
  if ("refusal" in range) return range;
  if ("unknown" in range) return changesUnknown(range);
  try {
    return await read(range);
  } catch (error) {
    if (error instanceof GitFault) return changesUnknown({ unknown: error.message });
    throw error;
  }
}

export function changesUnknown({ unknown }: UnknownRange): Refused {
  return refuse("changes_unknown", unknown);
}

function nothingKnown(reason: string): Changes {
  const counts = { files: 0, added: 0, deleted: 0 };
  const empty = { counts, files: [], isCut: false, tooLarge: 0 };
  return { available: false, reason, isLive: false, ...empty };
}

type Author = (file: ChangedFile) => ListedFile["by"];

/** Tells who changed a file: runs of the session, or somebody else in between. */
async function authorsOf({ files }: Needed, range: FileRange): Promise<Author> {
  const { runs, gaps } = stepsOf(range.runs, range.after);
  if (runs.length + gaps.length > MAX_STEPS) return () => "session";
  const touched = async (steps: readonly Step[]): Promise<ReadonlySet<string>> => {
    const paths = new Set<string>();
    for (const [before, after] of steps)
      for (const { path, from } of await files.git.changes(range.folder, { before, after })) {
        paths.add(path);
        if (from !== null) paths.add(from);
      }
    return paths;
  };
  const [own, others] = [await touched(runs), await touched(gaps)];
  return ({ path, from }) => {
    const isIn = (paths: ReadonlySet<string>): boolean =>
      paths.has(path) || (from !== null && paths.has(from));
    if (!isIn(others)) return "session";
    return isIn(own) ? "both" : "others";
  };
}

export function listed(file: ChangedFile, by: ListedFile["by"]): ListedFile {
  const { before: _before, after: _after, ...rest } = file;
  const from = file.from === null ? null : shownPath(file.from);
  return { ...rest, path: shownPath(file.path), from, by };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
