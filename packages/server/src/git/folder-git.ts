import { lstat } from "node:fs/promises";
import path from "node:path";
import { openOwnGitFolder, type GitOptions, type OwnGitFolder } from "./own-git-folder.ts";
import { applyRestore, finishedTree } from "./restore/apply-restore.ts";
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
  readonly known: KnownTree;
  last: Promise<unknown>;
  opened: { readonly own: OwnGitFolder; readonly at: number; readonly stamp: string } | null;
}

export function createFolderGit(options: GitOptions): FolderGit {
  const entries = new Map<string, Entry>();

  const entryOf = (folder: string): Entry => {
    const entry = entries.get(folder) ?? {
      known: { tree: null },
      last: Promise.resolve(),
      opened: null,
    };
    // The folder that was used last is the last to be forgotten.
    entries.delete(folder);
    entries.set(folder, entry);
    for (const [oldest] of entries) {
      if (entries.size <= MAX_FOLDERS) break;
      entries.delete(oldest);
    }
    return entry;
  };

  const open = async (folder: string, entry: Entry): Promise<OwnGitFolder> => {
    const stamp = await stampOf(folder);
    const { opened } = entry;
    if (opened !== null && opened.stamp === stamp && performance.now() - opened.at < CACHE_MS)
      return opened.own;
    const own = await openOwnGitFolder(folder, options);
    entry.opened = { own, at: performance.now(), stamp };
    return own;
  };

  /** One after the other: they share an index. */
  const inTurn = <Value>(
    folder: string,
    act: (own: OwnGitFolder, known: KnownTree) => Promise<Value>,
  ): Promise<Value> => {
    const entry = entryOf(folder);
    const turn = entry.last.then(async () => act(await open(folder, entry), entry.known));
    entry.last = turn.catch(() => {});
    return turn;
  };

  /** These read only objects, so they need not wait. */
  const atOnce = async <Value>(
    folder: string,
    act: (own: OwnGitFolder) => Promise<Value>,
  ): Promise<Value> => act(await open(folder, entryOf(folder)));

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
      inTurn(folder, async (own, known) => {
        const { tree } = await takeSnapshot(own, known);
        const result = await finishedTree(own, tree, plan);
        if (result === tree) return;
        await keepObjects(own, [{ name: nameOf(ref), object: tree }]);
        await applyRestore(own, known, { now: tree, result });
      }),
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

/** Changes when the repository gets another Git folder or other settings. */
async function stampOf(folder: string): Promise<string> {
  const files = [".git", ".git/config", ".git/info/exclude"].map((name) => path.join(folder, name));
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => null)));
  // The times of a folder change with every command of Git.
  return stats.map((each) => (each?.isFile() ? `${each.ino}:${each.mtimeMs}` : each?.ino)).join();
}
