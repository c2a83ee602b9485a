import type { Session } from "../../domain/session.ts";
import { GitFault } from "../../git/git-fault.ts";
import type { Run } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { noSuchSession, refuse, type Refused } from "../reply.ts";
import { unreadable } from "../session-snapshot.ts";

/** Which changes are wanted: of one run, since a run began, or of the whole session. */
export interface RangeQuery {
  readonly sessionId: string;
  readonly run?: string;
  readonly since?: string;
}

/** Two trees in the folder of a session. */
export interface FileRange {
  readonly folder: string;
  readonly before: string;
  readonly after: string;
  /** Whether `after` is the state of the files now. */
  readonly isLive: boolean;
  readonly tooLarge: number;
  /** The runs in between, oldest first, and the session. */
  readonly runs: readonly Run[];
  readonly session: Session;
}

export interface UnknownRange {
  /** Why nothing is known. */
  readonly unknown: string;
}

type Needed = Pick<RuntimeContext, "store" | "files">;

/** Finds the two states that are to be compared. Takes a snapshot if one of them is the state now. */
export async function findRange(
  { store, files }: Needed,
  { sessionId, run: runId, since }: RangeQuery,
): Promise<FileRange | UnknownRange | Refused> {
  await files.settle(sessionId);
  const loaded = await store.load(sessionId);
  if (loaded.found === "unreadable") throw unreadable(sessionId, loaded.reason);
  if (loaded.found === "nothing") return noSuchSession();
  const { session } = loaded.stored;
  const all = await store.readRuns(sessionId);
  const wanted = runId ?? since ?? null;
  const at = wanted === null ? 0 : findRun(all, wanted);
  if (at < 0) return refuse("run_not_found", "The session has no such run.");
  const found = await files.folderOf(session);
  if (found === null) return { unknown: "The session has no repository." };
  if (!found.ok) return { unknown: found.refusal.message };
  const { folder } = found;
  const runs = runId === undefined ? all.slice(at) : all.slice(at, at + 1);
  const before =
    wanted === null ? (session.files?.base ?? null) : (all[at]?.filesBefore?.tree ?? null);
  try {
    if (before === null) {
      // Tells why there is none.
      const now = await files.git.snapshot(folder, nowOf(sessionId));
      return { unknown: whyUnknown(now.head, wanted, all) };
    }
    const later = runId === undefined ? null : endOf(all, at);
    if (later !== null)
      return { folder, before, after: later, isLive: false, tooLarge: 0, runs, session };
    const now = await files.git.snapshot(folder, nowOf(sessionId));
    const { tree, tooLarge } = now;
    return { folder, before, after: tree, isLive: true, tooLarge, runs, session };
  } catch (error) {
    if (error instanceof GitFault) return { unknown: error.message };
    throw error;
  }
}

/** The place of a run in the list; `last` is the last one that has started and was not taken back. -1 if there is none. */
export function findRun(runs: readonly Run[], name: string): number {
  if (name !== "last") return runs.findIndex(({ id }) => id === name);
  return runs.findLastIndex(({ startedAt, rewoundAt }) => startedAt !== null && rewoundAt === null);
}

function nowOf(sessionId: string) {
  return { sessionId, name: ["now"] };
}

function whyUnknown(head: string | null, wanted: string | null, runs: readonly Run[]): string {
  if (head === null) return "The repository has no commit yet, so changes are not recorded.";
  if (wanted === null && runs.every(({ startedAt }) => startedAt === null))
    return "No run has started yet.";
  return wanted === null
    ? "The files before the first run are not known."
    : "The files before this run are not known.";
}

/** The state after a run; the state before the next one if it was cut off. Null if that is the state now. */
function endOf(runs: readonly Run[], at: number): string | null {
  const [run, ...later] = runs.slice(at);
  const next = later.find(({ filesBefore }) => filesBefore !== null);
  return run?.filesAfter?.tree ?? next?.filesBefore?.tree ?? null;
}

/** A pair of trees that differ. */
export type Step = readonly [before: string, after: string];

/**
 * What happened to the files between two moments: steps of the runs, and gaps in which others changed them. A run that was cut
 * off lasts until the next one begins.
 */
export function stepsOf(
  runs: readonly Run[],
  now: string,
): { readonly runs: readonly Step[]; readonly gaps: readonly Step[] } {
  const known = runs.flatMap(({ filesBefore, filesAfter }) =>
    filesBefore === null ? [] : [{ before: filesBefore.tree, after: filesAfter?.tree ?? null }],
  );
  const spans = known.map(({ before, after }, at): Step => {
    const next = known[at + 1]?.before ?? now;
    return [before, after ?? next];
  });
  const gaps = spans.map(([, after], at): Step => [after, spans[at + 1]?.[0] ?? now]);
  const differ = ([before, after]: Step): boolean => before !== after;
  return { runs: spans.filter(differ), gaps: gaps.filter(differ) };
}
