import { stateOf, statusOf, type Session } from "../../domain/session.ts";
import type { Worktree } from "../../domain/files/session-folder.ts";
import { GitFault } from "../../git/git-fault.ts";
import type { KeepGit } from "../../git/keep/keep-git.ts";
import { shownPath, type RawPath } from "../../git/raw-path.ts";
import type { Repo } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { readConversation } from "../files/conversation.ts";
import { noSuchSession, refuse, type Refused, type Reply } from "../reply.ts";
import { unreadable } from "../session-snapshot.ts";
import type { KeepSettings } from "./keep-settings.ts";
import { pullRequestOf, type OpenPullRequest } from "./pull-request.ts";
import { suggestMessage } from "./suggest-message.ts";

export interface BranchState {
  readonly folder: string;
  readonly branch: string | null;
  /** The branch into which it is merged; null if there is none. */
  readonly into: string | null;
  readonly isClean: boolean;
  readonly changedFiles: number;
  /** Commits that `into` does not have, and that only `into` has; null if that is not known. */
  readonly ahead: number | null;
  readonly behind: number | null;
  readonly suggestedMessage: string;
  readonly canPush: boolean;
  readonly canOpenPullRequest: boolean;
  readonly pullRequest: string | null;
}

export interface SessionKeeping {
  state(sessionId: string): Promise<Reply<BranchState>>;
  commit(request: {
    readonly sessionId: string;
    /** Null: the suggested one. */
    readonly message: string | null;
  }): Promise<Reply<{ readonly commit: string; readonly files: number; readonly message: string }>>;
  merge(request: { readonly sessionId: string; readonly into: string | null }): Promise<
    Reply<{
      readonly how: "fast_forward" | "merge" | "nothing";
      readonly commit: string;
      readonly into: string;
    }>
  >;
  rebase(request: {
    readonly sessionId: string;
    readonly onto: string | null;
  }): Promise<Reply<{ readonly commit: string; readonly replayed: number; readonly onto: string }>>;
  push(sessionId: string): Promise<Reply<{ readonly branch: string; readonly commit: string }>>;
  openPullRequest(request: OpenPullRequest): Promise<Reply<{ readonly url: string }>>;
}

export interface KeepOptions {
  readonly git: KeepGit;
  readonly settingsOf: (repo: Repo) => KeepSettings;
}

type Needed = Pick<
  RuntimeContext,
  "store" | "folders" | "openWorkspace" | "execute" | "clock" | "log"
>;

/** A session with the folder in which its work is. */
interface Place {
  readonly session: Session;
  readonly repo: Repo;
  readonly folder: string;
  readonly repository: string;
  readonly worktree: Worktree | null;
}

/** `during`: whether the session must be idle. The agent of a run may keep its own work. */
export function createSessionKeeping(
  context: Needed,
  { git, settingsOf }: KeepOptions,
  { during }: { readonly during: "idle" | "run" } = { during: "idle" },
): SessionKeeping {
  const { store, folders, openWorkspace } = context;

  const realPath = async (opening: ReturnType<Needed["openWorkspace"]>): Promise<string> => {
    const opened = await opening;
    if (!opened.ok) throw new GitFault(opened.refusal.message);
    await opened.workspace.close();
    return opened.workspace.path;
  };

  const find = async (sessionId: string): Promise<Place | Refused> => {
    const loaded = await store.load(sessionId);
    if (loaded.found === "unreadable") throw unreadable(sessionId, loaded.reason);
    if (loaded.found === "nothing") return noSuchSession();
    const { session } = loaded.stored;
    const repo = session.repoId === null ? null : await store.readRepo(session.repoId);
    if (repo === null) return refuse("repository_required", "The session has no repository.");
    const folder = await realPath(folders.open(session));
    const repository = await realPath(openWorkspace(repo.id));
    return { session, repo, folder, repository, worktree: session.workspace.worktree };
  };

  /** Finds the folder of a session that nobody else works in now. */
  const inFolder = async <Value>(
    sessionId: string,
    act: (place: Place) => Promise<Reply<Value>>,
    { isIdle }: { readonly isIdle: boolean } = { isIdle: during === "idle" },
  ): Promise<Reply<Value>> => {
    try {
      const place = await find(sessionId);
      if ("refusal" in place) return place;
      const { session } = place;
      if (isIdle && stateOf(session) !== "idle")
        return refuse("session_not_idle", "A run is in progress.", {
          status: statusOf(session),
          state: stateOf(session),
        });
      return await act(place);
    } catch (error) {
      if (error instanceof GitFault) return refuse("git_failed", error.message);
      throw error;
    }
  };

  const targetOf = async ({ repo, repository }: Place): Promise<string | null> => {
    return settingsOf(repo).into ?? git.branchOf(repository);
  };

  const withBranch = async <Value>(
    place: Place,
    name: string | null,
    act: (worktree: Worktree, target: string) => Promise<Reply<Value>>,
  ): Promise<Reply<Value>> => {
    const { worktree } = place;
    if (worktree === null)
      return refuse("worktree_required", "The session has no worktree with a branch of its own.");
    const target = name ?? (await targetOf(place));
    if (target === null)
      return refuse("git_failed", "No branch is checked out in the repository. Name one.");
    return act(worktree, target);
  };

  const state: SessionKeeping["state"] = (sessionId) =>
    inFolder(
      sessionId,
      async (place) => {
        const { session, repo, folder } = place;
        const into = place.worktree === null ? null : await targetOf(place);
        const { branch, isClean, changedFiles, ahead, behind } = await git.state({
          folder,
          other: into,
        });
        const { remote, pullRequest } = settingsOf(repo);
        const conversation = await readConversation(store, { sessionId });
        return {
          ok: true,
          folder,
          branch,
          into,
          isClean,
          changedFiles,
          ahead,
          behind,
          suggestedMessage: suggestMessage(session, conversation),
          canPush: remote !== null && place.worktree !== null,
          canOpenPullRequest: pullRequest !== null && place.worktree !== null,
          pullRequest: session.workspace.pullRequest ?? null,
        };
      },
      { isIdle: false },
    );

  const push: SessionKeeping["push"] = (sessionId) =>
    inFolder(sessionId, async ({ worktree, repo, folder }) => {
      const { remote } = settingsOf(repo);
      if (worktree === null)
        return refuse("worktree_required", "The session has no worktree with a branch of its own.");
      if (remote === null)
        return refuse(
          "remote_required",
          "No remote repository is configured. Set `remote` in `worktrees` of the configuration.",
        );
      const { branch } = worktree;
      const pushed = await git.push({ folder, remote, branch });
      if (!pushed.pushed) return refuse("push_failed", pushed.message);
      return { ok: true, branch, commit: pushed.commit };
    });

  return {
    state,
    push,
    commit: ({ sessionId, message }) =>
      inFolder(sessionId, async ({ session, folder }) => {
        const conversation = await readConversation(store, { sessionId });
        const text = message ?? suggestMessage(session, conversation);
        const result = await git.commit({ folder, message: text, hooks: true });
        if (result.committed)
          return { ok: true, commit: result.commit, files: result.files, message: text };
        return result.why === "nothing_to_commit"
          ? refuse("nothing_to_commit", "There is nothing to commit.")
          : refuse("hook_failed", `The hook ${result.hook} refused the commit:\n${result.output}`);
      }),
    merge: ({ sessionId, into }) =>
      inFolder(sessionId, (place) =>
        withBranch(place, into, async ({ branch, folder }, target) => {
          const { repository } = place;
          const request = { repository, worktreeFolder: folder, branch, into: target };
          const result = await git.merge(request);
          if (result.merged)
            return { ok: true, how: result.how, commit: result.commit, into: target };
          return refuseMove(result, target);
        }),
      ),
    rebase: ({ sessionId, onto }) =>
      inFolder(sessionId, (place) =>
        withBranch(place, onto, async ({ folder }, target) => {
          const result = await git.rebase({ folder, onto: target });
          if (result.rebased) return { ok: true, ...pick(result), onto: target };
          return refuseMove(result, target);
        }),
      ),
    openPullRequest: (request) =>
      inFolder(request.sessionId, (place) =>
        withBranch(place, null, async (worktree, into) => {
          const { pullRequest: command, remote } = settingsOf(place.repo);
          if (command === null)
            return refuse(
              "remote_required",
              "No command for pull requests is configured. Set `pullRequest` in `worktrees` of the configuration.",
            );
          const pushed = remote === null ? null : await push(request.sessionId);
          if (pushed !== null && !pushed.ok) return pushed;
          const conversation = await readConversation(store, { sessionId: request.sessionId });
          const suggested = suggestMessage(place.session, conversation);
          const about = { command, branch: worktree.branch, into, remote, suggested };
          const url = await pullRequestOf(request, about);
          if (!url.ok) return url;
          await context.execute({
            sessionId: request.sessionId,
            command: { type: "record-pull-request", at: context.clock(), url: url.url },
          });
          return url;
        }),
      ),
  };
}

function pick({ commit, replayed }: { readonly commit: string; readonly replayed: number }) {
  return { commit, replayed };
}

const SHOWN_FILES = 20;

/** Why a branch was not moved. Nothing has changed. */
function refuseMove(
  result: { readonly why: string; readonly files: readonly RawPath[] },
  target: string,
): Refused {
  const files = result.files.slice(0, SHOWN_FILES).map(shownPath).join(", ");
  switch (result.why) {
    case "conflicts":
      return refuse("merge_conflicts", `These files conflict with ${target}: ${files}.`);
    case "not_committed":
      return refuse("not_committed", `There is work that is not committed: ${files}.`);
    case "not_clean":
      return refuse(
        "not_committed",
        `The folder in which ${target} is checked out has changes that are not committed: ${files}.`,
      );
    case "in_the_way":
      return refuse("not_committed", `Files are in the way: ${files}.`);
    default:
      return refuse("merge_conflicts", `The branch ${target} has changed meanwhile. Try again.`);
  }
}
