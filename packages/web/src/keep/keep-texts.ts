import type {
  BranchState,
  CommitReply,
  MergeReply,
  PushReply,
  RebaseReply,
  Session,
} from "@holdfast/protocol";
import { filesText } from "../changes/counts.ts";

/** What can be done with the work of a session. */
export type KeepAction = "commit" | "rebase" | "merge" | "push" | "pull-request";

/** How the branch stands, in short sentences. */
export function branchFacts(branch: BranchState): readonly string[] {
  const { isClean, changedFiles, into, ahead, behind } = branch;
  const files = isClean ? "Everything is committed." : `${filesText(changedFiles)} not committed.`;
  if (into === null || ahead === null || behind === null) return [files];
  return [
    files,
    ...(ahead > 0 ? [`${commitsText(ahead)} ahead of ${into}.`] : []),
    ...(ahead === 0 && isClean ? [`${into} has all commits of the branch.`] : []),
    ...(behind > 0 ? [`${commitsText(behind)} behind ${into}.`] : []),
  ];
}

/** An action that the section offers, and why it cannot be done now. */
export interface Offer {
  readonly action: KeepAction;
  readonly label: string;
  /** Null if it can be done. */
  readonly why: string | null;
}

/** Actions without an effect are not offered. */
export function offersOf(branch: BranchState, { state }: Pick<Session, "state">): readonly Offer[] {
  const { into, isClean, ahead, behind, canPush, canOpenPullRequest, pullRequest } = branch;
  const busy = state === "idle" ? null : whileRunning(state);
  const uncommitted = isClean ? null : "Commit the files before you rebase or merge.";
  const offers: Offer[] = [];
  if (!isClean) offers.push({ action: "commit", label: "Commit…", why: busy });
  if (into !== null && behind !== 0)
    offers.push({ action: "rebase", label: `Rebase onto ${into}`, why: busy ?? uncommitted });
  if (into !== null && !(isClean && ahead === 0))
    offers.push({ action: "merge", label: `Merge into ${into}…`, why: busy ?? uncommitted });
  if (canPush) offers.push({ action: "push", label: "Push", why: busy });
  if (canOpenPullRequest && pullRequest === null)
    offers.push({ action: "pull-request", label: "Open a pull request", why: busy });
  return offers;
}

/** The different reasons of offers that cannot be taken. */
export function reasonsOf(offers: readonly Offer[]): readonly string[] {
  return [...new Set(offers.flatMap(({ why }) => (why === null ? [] : [why])))];
}

function whileRunning(state: Session["state"]): string {
  return state === "suspended"
    ? "The agent waits for your answer. Its work can be kept when the run has ended."
    : "The agent is at work. Its work can be kept when the run has ended.";
}

/** What a merge does, for the question before it. */
export function mergeText({ branch, into, ahead, behind }: BranchState): string {
  const what = ahead === null ? "The commits" : commitsText(ahead);
  const how =
    behind === 0
      ? `${into} moves forward to ${ahead === 1 ? "it" : "them"}.`
      : `${into} has commits of its own, so a merge commit is made.`;
  return (
    `${what} of ${branch ?? "the branch"} ${ahead === 1 ? "goes" : "go"} into ${into}. ${how} ` +
    `Where ${into} is checked out, its files change, too. If files conflict, nothing is changed.`
  );
}

/** What a commit contains. */
export function commitText({ changedFiles, into }: BranchState): string {
  const files = filesText(changedFiles);
  return into === null
    ? `All changes in the folder of the repository: ${files}, also those of others.`
    : `Everything that is not ignored: ${files}. Hooks of the repository run.`;
}

export function committedText({ files, commit }: Pick<CommitReply, "files" | "commit">): string {
  return `Committed ${filesText(files)} as ${short(commit)}.`;
}

export function mergedText({ how, into, commit }: MergeReply): string {
  return how === "nothing"
    ? `${into} has all commits already.`
    : `Merged into ${into}, which is now at ${short(commit)}.`;
}

export function rebasedText({ replayed, onto }: Pick<RebaseReply, "replayed" | "onto">): string {
  return `Rebased ${commitsText(replayed)} onto ${onto}.`;
}

export function pushedText({ branch, commit }: PushReply): string {
  return `Pushed ${branch} at ${short(commit)}.`;
}

function commitsText(count: number): string {
  return count === 1 ? "1 commit" : `${count.toLocaleString("en")} commits`;
}

const SHORT = 12;

function short(commit: string): string {
  return commit.slice(0, SHORT);
}
