import type { WorkCall } from "../../runtime/keep/agent-work.ts";
import type {
  AgentWorkRequest,
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

export function toWorkCall(request: AgentWorkRequest): WorkCall {
  switch (request.tool) {
    case "commit_changes":
      return { tool: request.tool, message: request.message ?? null };
    case "rebase_branch":
      return { tool: request.tool, onto: request.onto ?? null };
    case "merge_branch":
      return { tool: request.tool, into: request.into ?? null };
    case "push_branch":
      return { tool: request.tool };
    case "open_pull_request":
      return { tool: request.tool, title: request.title ?? null, body: request.body ?? null };
    default:
      return request satisfies never;
  }
}
