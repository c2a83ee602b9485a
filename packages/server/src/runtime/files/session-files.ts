import { errorText } from "../../domain/error-text.ts";
import type { Command } from "../../domain/kernel/command.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import { SHARED } from "../../domain/files/session-folder.ts";
import type { ChangeCounts, FileSnapshot, Rewind } from "../../domain/files/working-files.ts";
import type { FolderGit } from "../../git/folder-git.ts";
import { GitFault } from "../../git/git-fault.ts";
import type { ChangedFile } from "../../git/snapshot/changed-file.ts";
import type { Store } from "../../storage/store.ts";
import type { Executed, Execution } from "../execute-command.ts";
import type { SessionFolders } from "../folders/session-folders.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../reply.ts";
import { sleep } from "../sleep.ts";

/** The folder in which agents of a session work, and how Git can be used there. */
export type SessionFolderReply = Reply<{ readonly folder: string }>;

/** Snapshots of the working files of sessions. */
export interface SessionFiles {
  readonly git: FolderGit;
  /** Null for a session without a repository. */
  folderOf(session: Pick<Session, "repoId" | "workspace">): Promise<SessionFolderReply | null>;
  /** The files before a run; null if they cannot be known. Never throws. */
  before(session: Session, run: Pick<CurrentRun, "id">): Promise<FileSnapshot | null>;
  /** The agent has ended its work. Records the files after it together with the end of the run. Never throws. */
  after(sessionId: string, runId: string): Promise<readonly Command[]>;
  /** The run has ended already: records the files after it, in the background. Never rejects. */
  recordAfter(sessionId: string, runId: string): Promise<void>;
  /** Resolves when the files of ended runs are recorded. */
  settle(sessionId?: string): Promise<void>;
  /** Changes the files as the rewind wants them. The commands record that. */
  carryOut(session: Session, rewind: Rewind): Promise<readonly Command[]>;
  /** The session was deleted: its snapshots are not needed any more. Never throws. */
  forget(sessionId: string): Promise<void>;
}

interface Needed {
  readonly store: Store;
  readonly execute: (execution: Execution) => Promise<Executed>;
  readonly clock: () => number;
  readonly log: Log;
  readonly folders: Pick<SessionFolders, "open">;
}

const UNKNOWN_AFTER = "the files after a run are not known";
/** How long the end of a run waits for a snapshot. */
const AFTER_MS = 10_000;
/** Snapshots of the newest runs are kept. */
const KEPT_RUNS = 100;
/** How many new runs there are before old snapshots are dropped. */
const DROP_EVERY = 20;

export function createSessionFiles(context: Needed, git: FolderGit): SessionFiles {
  const pending = new Map<string, Promise<void>>();
  const taken = new Map<string, number>();

  const folderOf: SessionFiles["folderOf"] = async (session) => {
    if (session.repoId === null) return null;
    const opened = await context.folders.open(session);
    if (!opened.ok) return opened;
    await opened.workspace.close();
    return { ok: true, folder: opened.workspace.path };
  };

  const snapshot = async (
    session: Pick<Session, "id" | "repoId" | "workspace">,
    name: readonly string[],
  ): Promise<{ readonly folder: string; readonly snapshot: FileSnapshot } | null> => {
    const found = await folderOf(session);
    if (found === null || !found.ok) return null;
    const { folder } = found;
    const { tree, head } = await git.snapshot(folder, { sessionId: session.id, name });
    return head === null ? null : { folder, snapshot: { tree, head } };
  };

  const dropOld = async (session: Session): Promise<void> => {
    const count = (taken.get(session.id) ?? 0) + 1;
    taken.set(session.id, count % DROP_EVERY);
    if (count % DROP_EVERY !== 0) return;
    const runs = await context.store.readRuns(session.id);
    if (runs.length <= KEPT_RUNS) return;
    const kept = new Set(runs.slice(-KEPT_RUNS).map(({ id }) => id));
    const found = await folderOf(session);
    if (found?.ok === true)
      await git.forget(
        found.folder,
        session.id,
        ([name = "", when]) => when !== undefined && !kept.has(name),
      );
  };

  const recordOf = async (sessionId: string, runId: string): Promise<readonly Command[]> => {
    const loaded = await context.store.load(sessionId);
    const run = await context.store.readRun(runId);
    if (loaded.found !== "session" || run?.filesBefore == null) return [];
    const { session } = loaded.stored;
    const now = await snapshot(session, [runId, "after"]);
    if (now === null) return [];
    const { folder, snapshot: after } = now;
    const count = async (before: string): Promise<ChangeCounts> =>
      countChanges(await git.changes(folder, { before, after: after.tree }));
    const changes = await count(run.filesBefore.tree);
    const base = session.files?.base ?? null;
    const isFirst = base === null || base === run.filesBefore.tree;
    if (isFirst) await git.keep(folder, { sessionId, name: ["base"] }, run.filesBefore.tree);
    const total = isFirst ? changes : await count(base).catch(() => null);
    void dropOld(session).catch(note(sessionId, "old snapshots could not be removed"));
    const record = { runId, after, changes, ...(total !== null && { total }) };
    return [{ type: "record-files", at: context.clock(), record }];
  };

  const recordAfter = (sessionId: string, runId: string): Promise<void> => {
    const earlier = pending.get(sessionId) ?? Promise.resolve();
    const work = earlier
      .then(async () => {
        const command = await recordOf(sessionId, runId);
        if (command.length > 0) await context.execute({ sessionId, command });
      })
      .catch((err: unknown) => void note(sessionId, UNKNOWN_AFTER)(err))
      .then(() => {
        if (pending.get(sessionId) === work) pending.delete(sessionId);
      });
    pending.set(sessionId, work);
    return work;
  };

  const note = (sessionId: string, what: string) => (err: unknown) => {
    // A folder in which Git cannot work is no fault of the server. Who asks for the changes gets the reason.
    if (!(err instanceof GitFault)) context.log.error({ sessionId, err }, what);
    return null;
  };

  return {
    git,
    folderOf,
    async before(session, run) {
      const unknown = note(session.id, "the files before a run are not known");
      const known = await snapshot(session, [run.id, "before"]).catch(unknown);
      return known?.snapshot ?? null;
    },
    async after(sessionId, runId) {
      const record = recordOf(sessionId, runId).catch(note(sessionId, UNKNOWN_AFTER));
      const waiting = new AbortController();
      const late = sleep(AFTER_MS, waiting.signal).then(() => "late" as const);
      const inTime = await Promise.race([record, late]);
      waiting.abort();
      if (inTime !== "late") return inTime ?? [];
      void recordAfter(sessionId, runId);
      return [];
    },
    recordAfter,
    async settle(sessionId) {
      await (sessionId === undefined ? Promise.all(pending.values()) : pending.get(sessionId));
    },
    async carryOut(session, rewind) {
      const { id, files } = rewind;
      const at = context.clock();
      const end = (error: string | null, ...more: readonly Command[]): readonly Command[] => [
        { type: "end-rewind", at, id, error },
        ...more,
      ];
      if (files === null || files.now === files.result) return end(null);
      try {
        const found = await folderOf(session);
        if (found === null) return end("The session has no repository.");
        if (!found.ok) return end(found.refusal.message);
        const ref = { sessionId: session.id, name: ["rewind", id, "found"] };
        await git.finishRestore(found.folder, files, ref);
        const base = session.files?.base ?? null;
        if (session.files === null || base === null) return end(null);
        const { runId } = session.files;
        const trees = { before: base, after: files.result };
        const total = countChanges(await git.changes(found.folder, trees));
        return end(null, { type: "record-files", at, record: { runId, total } });
      } catch (error) {
        note(session.id, "files could not be restored")(error);
        return end(`The files could not be restored. ${errorText(error)}`);
      }
    },
    async forget(sessionId) {
      taken.delete(sessionId);
      const failed = note(sessionId, "the snapshots of a session could not be removed");
      // Nobody knows any more in which repository it worked.
      for (const { id } of await context.store.listRepos()) {
        const found = await folderOf({ repoId: id, workspace: SHARED }).catch(failed);
        if (found?.ok === true) await git.forget(found.folder, sessionId).catch(failed);
      }
    },
  };
}

export function countChanges(files: readonly ChangedFile[]): ChangeCounts {
  const sum = (numbers: readonly (number | null)[]): number =>
    numbers.reduce<number>((total, each) => total + (each ?? 0), 0);
  return {
    files: files.length,
    added: sum(files.map(({ added }) => added)),
    deleted: sum(files.map(({ deleted }) => deleted)),
  };
}
