import type {
  BranchState,
  CommitReply,
  MergeReply,
  PullRequestReply,
  PushReply,
  RebaseReply,
} from "@holdfast/protocol";

/* Replies of the runtime have more fields than the API names. */

export function toWireBranch(state: BranchState): BranchState {
  const { folder, branch, into, isClean, changedFiles, ahead, behind } = state;
  const { suggestedMessage, canPush, canOpenPullRequest, pullRequest } = state;
  const work = { isClean, changedFiles, ahead, behind };
  return {
    folder,
    branch,
    into,
    ...work,
    suggestedMessage,
    canPush,
    canOpenPullRequest,
    pullRequest,
  };
}

export function toWireCommit({ commit, files, message }: CommitReply): CommitReply {
  return { commit, files, message };
}

export function toWireMerge({ how, commit, into }: MergeReply): MergeReply {
  return { how, commit, into };
}

export function toWireRebase({ commit, replayed, onto }: RebaseReply): RebaseReply {
  return { commit, replayed, onto };
}

export function toWirePush({ branch, commit }: PushReply): PushReply {
  return { branch, commit };
}

export function toWirePullRequest({ url }: PullRequestReply): PullRequestReply {
  return { url };
}
