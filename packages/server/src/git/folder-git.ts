import { asGitFault } from "./git-fault.ts";
import { openOwnGitFolder, stampOf, type GitOptions, type OwnGitFolder } from "./own-git-folder.ts";
import { applyRestore, finishRestore } from "./restore/apply-restore.ts";
import { planRestore, type RestorePlan, type RestoreRequest } from "./restore/plan-restore.ts";
import type { ChangedFile } from "./snapshot/changed-file.ts";
import { compareTrees, diffAll, diffFile, type FileDiff } from "./snapshot/compare.ts";
import { dropRefs, keepObjects, listRefs, refName } from "./snapshot/snapshot-refs.ts";
import { takeSnapshot, type KnownTree, type Snapshot } from "./snapshot/take-snapshot.ts";

/** Two trees. */
export interface Trees {
  readonly before: string;
  readonly after: string;
}

/** A ref that keeps a snapshot: of a session, and a name within it. */
export interface RefOf {
  readonly sessionId: string;
  readonly name: readonly string[];
}

/**
 * Snapshots of working folders. All methods take the real path of a folder, and throw a `GitFault` if Git cannot be
 * used there. Calls for one folder run one after the other.
 */
export interface FolderGit {
  /** Takes a snapshot. `isKept` resolves when a ref keeps it, and never rejects. */
  snapshot(folder: string, ref: RefOf): Promise<Snapshot & { readonly isKept: Promise<boolean> }>;
  changes(folder: string, trees: Trees): Promise<readonly ChangedFile[]>;
  fileDiff(
    folder: string,
    trees: Trees,
    file: Pick<ChangedFile, "path" | "from">,
    maxBytes: number,
  ): Promise<FileDiff>;
  patch(folder: string, trees: Trees, maxBytes: number): Promise<FileDiff>;
  planRestore(folder: string, request: RestoreRequest): Promise<RestorePlan>;
  /** Changes the files as planned. Throws a `GitFault` if they have changed since `plan.now`, and leaves them as they are. */
  restore(folder: string, plan: Pick<RestorePlan, "now" | "result">): Promise<void>;
  /** Ends a restoration that was cut off, and keeps a snapshot of what it found. Can be repeated. */
  finishRestore(
    folder: string,
    plan: Pick<RestorePlan, "now" | "result">,
    ref: RefOf,
  ): Promise<void>;
  /** Keeps the object under a name. */
  keep(folder: string, ref: RefOf, object: string): Promise<void>;
  /** Drops all snapshots of a session, or those that `isOld` tells by their name. */
  forget(
    folder: string,
    sessionId: string,
    isOld?: (name: readonly string[]) => boolean,
  ): Promise<void>;
}

/** How long the settings of a repository are believed to be the same while its files are. */
const CACHE_MS = 30_000;

interface Entry {
  /** The number of calls that use it or wait for it. */
  calls: number;
  readonly known: KnownTree;
  last: Promise<unknown>;
  opened: { readonly own: OwnGitFolder; readonly at: number; readonly stamp: string } | null;
}

export function createFolderGit({
  maxFolders = MAX_FOLDERS,
  ...options
}: GitOptions & {
  /** About how many folders something is remembered. */
  readonly maxFolders?: number;
}): FolderGit {
  const entries = new Map<string, Entry>();

  const entryOf = (folder: string): Entry => {
    const entry = entries.get(folder) ?? {
      calls: 0,
      known: { tree: null },
      last: Promise.resolve(),
      opened: null,
    };
    // The folder that was used last is the last to be forgotten.
    entries.delete(folder);
    entries.set(folder, entry);
    for (const [oldest, { calls }] of entries) {
      if (entries.size <= maxFolders) break;
      if (calls === 0 && oldest !== folder) entries.delete(oldest);
    }
    return entry;
  };

  /** No entry is forgotten while it is used: two calls would share an index at once. */
  const use = async <Value>(
    folder: string,
    act: (entry: Entry) => Promise<Value>,
  ): Promise<Value> => {
    const entry = entryOf(folder);
    entry.calls += 1;
    try {
      return await act(entry);
    } catch (error) {
      throw asGitFault(error);
    } finally {
      entry.calls -= 1;
    }
  };

  const open = async (folder: string, entry: Entry): Promise<OwnGitFolder> => {
    const { opened } = entry;
    if (opened !== null && performance.now() - opened.at < CACHE_MS) {
      const stamp = await stampOf(folder, opened.own.folders.common);
      if (opened.stamp === stamp) return opened.own;
    }
    const own = await openOwnGitFolder(folder, options);
    // The settings may have changed while they were read: then the next call reads them again.
    entry.opened = { own, at: performance.now(), stamp: own.stamp };
    return own;
  };

  /** One after the other: they share an index. */
  const inTurn = <Value>(
    folder: string,
    act: (own: OwnGitFolder, known: KnownTree) => Promise<Value>,
  ): Promise<Value> =>
    use(folder, (entry) => {
      const turn = entry.last.then(async () => act(await open(folder, entry), entry.known));
      entry.last = turn.catch(() => {});
      return turn;
    });

  /** These read only objects, so they need not wait. */
  const atOnce = <Value>(
    folder: string,
    act: (own: OwnGitFolder) => Promise<Value>,
  ): Promise<Value> => use(folder, async (entry) => act(await open(folder, entry)));

  return {
    async snapshot(folder, ref) {
      const { snapshot, own } = await inTurn(folder, async (each, known) => ({
        own: each,
        snapshot: await takeSnapshot(each, known),
      }));
      const isKept = keepObjects(own, [{ name: nameOf(ref), object: snapshot.tree }]).then(
        () => true,
        () => false,
      );
      return { ...snapshot, isKept };
    },
    changes: (folder, { before, after }) =>
      atOnce(folder, (own) => compareTrees(own, before, after)),
    fileDiff: (folder, trees, file, maxBytes) =>
      atOnce(folder, (own) => diffFile(own, trees, file, maxBytes)),
    patch: (folder, trees, maxBytes) => atOnce(folder, (own) => diffAll(own, trees, maxBytes)),
    planRestore: (folder, request) => atOnce(folder, (own) => planRestore(own, request)),
    restore: (folder, plan) => inTurn(folder, (own, known) => applyRestore(own, known, plan)),
    finishRestore: (folder, plan, ref) =>
      inTurn(folder, (own, known) =>
        finishRestore(own, known, plan, (tree) =>
          keepObjects(own, [{ name: nameOf(ref), object: tree }]),
        ),
      ),
    keep: (folder, ref, object) =>
      atOnce(folder, (own) => keepObjects(own, [{ name: nameOf(ref), object }])),
    forget: (folder, sessionId, isOld = () => true) =>
      atOnce(folder, async (own) => {
        const root = `${refName(sessionId)}/`;
        const refs = await listRefs(own, sessionId);
        const names = refs.map(({ name }) => name);
        await dropRefs(
          own,
          names.filter((name) => isOld(name.slice(root.length).split("/"))),
        );
      }),
  };
}

const MAX_FOLDERS = 1_000;

function nameOf({ sessionId, name }: RefOf): string {
  return refName(sessionId, ...name);
}
