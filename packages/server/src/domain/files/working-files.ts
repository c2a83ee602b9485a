import { isArray, isObject, type Json } from "../json.ts";

/** The state of the working files at one time. */
export interface FileSnapshot {
  /** The object ID of a Git tree with all files that are not ignored. */
  readonly tree: string;
  /** The commit that was checked out; null if there was none. */
  readonly head: string | null;
}

/** How many files differ, and how many lines. Lines of binary files are not counted. */
export interface ChangeCounts {
  readonly files: number;
  readonly added: number;
  readonly deleted: number;
}

/** What is known about the working files of a session. */
export interface SessionFiles {
  /** The tree before the first run; null if it is not known. */
  readonly base: string | null;
  /** The last run of which something is known, and the files before and after it. */
  readonly runId: string;
  readonly before: FileSnapshot | null;
  readonly after: FileSnapshot | null;
  /** What the run changed so far. */
  readonly changes: ChangeCounts | null;
  /** What has changed since the first run began. */
  readonly total: ChangeCounts | null;
}

/** A new fact about the files of a run. */
export interface FilesRecord {
  readonly runId: string;
  readonly before?: FileSnapshot;
  readonly after?: FileSnapshot;
  readonly changes?: ChangeCounts;
  readonly total?: ChangeCounts;
}

export function withFiles(files: SessionFiles | null, record: FilesRecord): SessionFiles {
  const { runId, before, after, changes, total } = record;
  const same = files?.runId === runId ? files : null;
  return {
    base: files?.base ?? before?.tree ?? null,
    runId,
    before: before ?? same?.before ?? null,
    after: after ?? same?.after ?? null,
    changes: changes ?? same?.changes ?? null,
    total: total ?? files?.total ?? null,
  };
}

/** A way back to the state before a run. */
export interface RewindRequest {
  readonly id: string;
  /** The first run that is undone. */
  readonly runId: string;
  /** The runs that no longer belong to the conversation; empty if the conversation stays. */
  readonly runIds: readonly string[];
  /** The trees between which files are changed; null if they stay. */
  readonly files: { readonly now: string; readonly result: string } | null;
  /** The rewind that this one takes back; null if none. */
  readonly undoes: string | null;
}

export interface Rewind extends RewindRequest {
  /** `restoring`: the files are being changed. No run starts before that has ended. */
  readonly status: "restoring" | "done" | "failed";
  /** Why the files could not be changed. */
  readonly error: string | null;
}

/** Null if there is none. Undefined if the value is invalid. */
export function parseSessionFiles(json: Json): SessionFiles | null | undefined {
  if (json === null) return null;
  if (!isObject(json)) return undefined;
  const { base = null, runId, before = null, after = null, changes = null, total = null } = json;
  if (typeof runId !== "string" || (base !== null && typeof base !== "string")) return undefined;
  return {
    base,
    runId,
    before: parseSnapshot(before),
    after: parseSnapshot(after),
    changes: parseCounts(changes),
    total: parseCounts(total),
  };
}

/** Null if it is none. */
export function parseSnapshot(json: Json): FileSnapshot | null {
  if (!isObject(json)) return null;
  const { tree, head = null } = json;
  if (typeof tree !== "string") return null;
  return { tree, head: typeof head === "string" ? head : null };
}

/** Null if it is none. */
export function parseCounts(json: Json): ChangeCounts | null {
  if (!isObject(json)) return null;
  const { files, added, deleted } = json;
  const isKnown =
    typeof files === "number" && typeof added === "number" && typeof deleted === "number";
  return isKnown ? { files, added, deleted } : null;
}

const REWIND_STATUSES = ["restoring", "done", "failed"] as const;

/** Null if there is none. Undefined if the value is invalid. */
export function parseRewind(json: Json): Rewind | null | undefined {
  if (json === null) return null;
  if (!isObject(json)) return undefined;
  const { id, runId, runIds = null, files = null, undoes = null, error = null } = json;
  const status = REWIND_STATUSES.find((each) => each === json["status"]);
  if (typeof id !== "string" || typeof runId !== "string" || status === undefined) return undefined;
  if (!isArray(runIds) || !runIds.every((each) => typeof each === "string")) return undefined;
  return {
    id,
    runId,
    runIds,
    files: parseTrees(files),
    undoes: typeof undoes === "string" ? undoes : null,
    status,
    error: typeof error === "string" ? error : null,
  };
}

function parseTrees(json: Json): Rewind["files"] {
  if (!isObject(json)) return null;
  const { now, result } = json;
  return typeof now === "string" && typeof result === "string" ? { now, result } : null;
}

/** What is known about the files of a run. */
export interface RunFiles {
  /** The working files before and after it; null if they are not known. */
  readonly filesBefore: FileSnapshot | null;
  readonly filesAfter: FileSnapshot | null;
  /** What changed while it ran; null if it is not known. */
  readonly changes: ChangeCounts | null;
  /** When it was taken back; null if it belongs to the conversation. */
  readonly rewoundAt: number | null;
}

export const NEW_RUN_FILES: RunFiles = {
  filesBefore: null,
  filesAfter: null,
  changes: null,
  rewoundAt: null,
};
