import path from "node:path";
import { cleanText } from "../../domain/clean-text.ts";
import type { Session } from "../../domain/session.ts";
import type { SessionWorkspace, Worktree } from "../../domain/files/session-folder.ts";
import { GitFault } from "../../git/git-fault.ts";
import { shownPath } from "../../git/raw-path.ts";
import { branchName } from "../../git/worktree/branch-name.ts";
import type { WorktreeGit } from "../../git/worktree/worktree-git.ts";
import type { RunCommand } from "../../providers/sandbox/run-command.ts";
import type { Repo, Store } from "../../storage/store.ts";
import type { Log } from "../log.ts";
import type { OpenWorkspace } from "../open-workspace.ts";
import { refuse, type Reply } from "../reply.ts";
import type { FolderSettings } from "./folder-settings.ts";

export type OpenedFolder = Reply<{ readonly workspace: OpenWorkspace }>;

type WithFolder = Pick<Session, "id" | "repoId" | "workspace">;

/** The folders in which the agents of sessions work. */
export interface SessionFolders {
  /** Opens the folder of a session, which has a repository. Refused as long as its worktree does not exist. */
  open(session: Pick<Session, "repoId" | "workspace">): Promise<OpenedFolder>;
  /** The workspace of a new session that asks for this one, or for none. */
  workspaceFor(
    repoId: string | null,
    wanted: Pick<SessionWorkspace, "kind" | "base"> | undefined,
  ): Promise<SessionWorkspace | undefined>;
  /** Makes the worktree of a session. Can be repeated after a crash. Throws a `GitFault`. */
  makeWorktree(
    session: Pick<Session, "id" | "repoId" | "title" | "workspace">,
  ): Promise<MadeWorktree>;
  /** Runs the command that prepares a new worktree. Null if there is none. */
  setUp(
    session: Pick<Session, "repoId">,
    worktree: Worktree,
    options: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
  ): Promise<SetupEnd | null>;
  /** The command that prepares a new worktree; null if there is none. */
  setupOf(session: Pick<Session, "repoId">): Promise<string | null>;
  /** Removes the worktree of a session. Work that is not committed is kept as a ref, if it is removed with `force`. */
  removeWorktree(session: WithFolder, force: boolean): Promise<WorktreeRemoval>;
  /** The session was deleted: removes its worktree if nothing is lost with it. */
  forget(sessionId: string): Promise<void>;
}

export interface MadeWorktree {
  readonly worktree: Worktree;
  readonly copied: readonly string[];
  readonly leftOut: readonly string[];
  /** Whether it existed already. */
  readonly existed: boolean;
}

export interface SetupEnd {
  readonly code: number | null;
  readonly isTimeout: boolean;
}

export type WorktreeRemoval =
  | { readonly removed: true; readonly keptAs: string | null; readonly branchRemoved: boolean }
  | { readonly removed: false; readonly message: string; readonly files: readonly string[] };

export interface FolderOptions {
  readonly store: Pick<Store, "readRepo" | "listRepos">;
  readonly log: Log;
  /** Opens the folder of a repository. */
  readonly openWorkspace: (repoId: string) => Promise<OpenedFolder>;
  readonly git: WorktreeGit;
  readonly runCommand: RunCommand | null;
  readonly settingsOf: (repo: Repo) => FolderSettings;
  /** Where worktrees of a repository are made: the real path of a folder. */
  readonly worktreesOf: (repo: Repo) => Promise<string>;
  /** Opens a worktree, and makes sure that it is where worktrees are. */
  readonly openWorktree: (folder: string, repo: Repo) => Promise<OpenedFolder>;
}

export function createSessionFolders(options: FolderOptions): SessionFolders {
  const { store, openWorkspace, git, runCommand, settingsOf, log } = options;

  const repoOf = async ({ repoId }: Pick<Session, "repoId">): Promise<Repo> => {
    const repo = repoId === null ? null : await store.readRepo(repoId);
    if (repo === null) throw new GitFault("The session has no repository.");
    return repo;
  };

  /** The real path of the repository, if it may be used. */
  const realPath = async ({ id }: Repo): Promise<string> => {
    const opened = await openWorkspace(id);
    if (!opened.ok) throw new GitFault(opened.refusal.message);
    await opened.workspace.close();
    return opened.workspace.path;
  };

  const remove = async (
    repo: Repo,
    sessionId: string,
    { folder, branch }: Pick<Worktree, "folder" | "branch">,
    force: boolean,
  ): Promise<WorktreeRemoval> => {
    const keepAs = `refs/holdfast/kept/${sessionId}`;
    const repository = await realPath(repo);
    const result = await git.remove({ repository, folder, branch, keepAs, force });
    if (!result.removed)
      return { removed: false, message: result.message, files: result.files.map(shownPath) };
    const { kept, branchRemoved } = result;
    return { removed: true, keptAs: kept === null ? null : keepAs, branchRemoved };
  };

  return {
    async open({ repoId, workspace }) {
      if (repoId === null) return refuse("repository_required", "The session has no repository.");
      if (workspace.kind === "shared") return openWorkspace(repoId);
      const { worktree } = workspace;
      if (worktree === null)
        return refuse(
          "path_not_found",
          "The session has no worktree yet. It is made when the next run starts.",
        );
      const repo = await store.readRepo(repoId);
      if (repo === null) return refuse("repository_not_found", "There is no such repository.");
      return options.openWorktree(worktree.folder, repo);
    },
    async workspaceFor(repoId, wanted) {
      const repo = repoId === null ? null : await store.readRepo(repoId);
      if (repo === null) return undefined;
      const settings = settingsOf(repo);
      const kind = wanted?.kind ?? settings.workspace;
      if (kind === "shared") return undefined;
      return { kind, base: wanted?.base ?? settings.base, worktree: null };
    },
    async makeWorktree(session) {
      const repo = await repoOf(session);
      const { copy } = settingsOf(repo);
      const name = cleanText(repo.name)
        .replaceAll(/[^\w.-]+/gu, "-")
        .slice(0, MAX_NAME);
      const folder = path.join(await options.worktreesOf(repo), `${name}-${session.id}`);
      const { copied, leftOut, existed, branch, base } = await git.create({
        repository: await realPath(repo),
        folder,
        branch: branchName({ title: session.title ?? "", sessionId: session.id }),
        base: session.workspace.base,
        copy,
      });
      return {
        worktree: { folder, branch, base },
        copied: copied.map(shownPath),
        leftOut: leftOut.map(({ path: file }) => shownPath(file)),
        existed,
      };
    },
    async setupOf(session) {
      return settingsOf(await repoOf(session)).setup;
    },
    async setUp(session, worktree, { signal, onOutput }) {
      const repo = await repoOf(session);
      const { setup, setupMs } = settingsOf(repo);
      if (setup === null || runCommand === null) return null;
      const opened = await options.openWorktree(worktree.folder, repo);
      if (!opened.ok) throw new GitFault(opened.refusal.message);
      const { workspace } = opened;
      try {
        return await runCommand({
          command: setup,
          workspace,
          timeoutMs: setupMs,
          signal,
          onOutput,
        });
      } finally {
        await workspace.close();
      }
    },
    async removeWorktree(session, force) {
      const { worktree } = session.workspace;
      if (worktree === null) return { removed: true, keptAs: null, branchRemoved: false };
      return remove(await repoOf(session), session.id, worktree, force);
    },
    async forget(sessionId) {
      for (const repo of await store.listRepos())
        try {
          const listed = await git.list({ repository: await realPath(repo) });
          for (const { folder, branch } of listed) {
            if (!path.basename(folder).endsWith(`-${sessionId}`)) continue;
            const removal = await remove(repo, sessionId, { folder, branch: branch ?? "" }, false);
            if (!removal.removed)
              log.info({ sessionId, folder, why: removal.message }, "a worktree was kept");
          }
        } catch (err) {
          if (!(err instanceof GitFault))
            log.error({ sessionId, err }, "the worktree of a session could not be removed");
        }
    },
  };
}

const MAX_NAME = 60;
