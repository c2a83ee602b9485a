import { z } from "zod";
import { nameSchema, orEmpty } from "../fields/body.ts";
import { countSchema } from "../fields/number.ts";

export const branchStateSchema = z
  .object({
    folder: z.string().describe("where the agents of the session work"),
    branch: z.string().nullable().describe("null if none is checked out"),
    into: z
      .string()
      .nullable()
      .describe("the branch into which the work is merged; null without a worktree"),
    isClean: z.boolean().describe("whether everything is committed"),
    changedFiles: countSchema.describe("files that differ from the last commit"),
    ahead: countSchema.nullable().describe("commits that only the branch has"),
    behind: countSchema.nullable().describe("commits that only `into` has"),
    suggestedMessage: z.string().describe("a message for the next commit"),
    canPush: z.boolean(),
    canOpenPullRequest: z.boolean(),
    pullRequest: z.string().nullable().describe("the address of the pull request"),
  })
  .meta({
    id: "BranchState",
    description: "The branch of a session, and how its work can be kept.",
  });
export type BranchState = z.infer<typeof branchStateSchema>;

const MAX_MESSAGE = 10_000;

export const commitRequestSchema = orEmpty(
  z.strictObject({
    message: z
      .string()
      .min(1)
      .max(MAX_MESSAGE)
      .optional()
      .describe("by default it is made from the session"),
  }),
);
export type CommitRequest = z.input<typeof commitRequestSchema>;

export const commitReplySchema = z
  .object({ commit: z.string(), files: countSchema, message: z.string() })
  .meta({ id: "CommitReply" });
export type CommitReply = z.infer<typeof commitReplySchema>;

export const mergeRequestSchema = orEmpty(
  z.strictObject({
    into: nameSchema
      .optional()
      .describe(
        "a branch; by default the configured one, or the one that is checked out in the repository",
      ),
  }),
);
export type MergeRequest = z.input<typeof mergeRequestSchema>;

export const mergeReplySchema = z
  .object({
    how: z
      .enum(["fast_forward", "merge", "nothing"])
      .describe("nothing: the branch had all commits already"),
    commit: z.string(),
    into: z.string(),
  })
  .meta({ id: "MergeReply" });
export type MergeReply = z.infer<typeof mergeReplySchema>;

export const rebaseRequestSchema = orEmpty(
  z.strictObject({
    onto: nameSchema.optional().describe("a branch, tag or commit; by default as for a merge"),
  }),
);
export type RebaseRequest = z.input<typeof rebaseRequestSchema>;

export const rebaseReplySchema = z
  .object({
    commit: z.string(),
    replayed: countSchema.describe("commits that were made anew"),
    onto: z.string(),
  })
  .meta({ id: "RebaseReply" });
export type RebaseReply = z.infer<typeof rebaseReplySchema>;

export const pushReplySchema = z
  .object({ branch: z.string(), commit: z.string() })
  .meta({ id: "PushReply" });
export type PushReply = z.infer<typeof pushReplySchema>;

export const pullRequestRequestSchema = orEmpty(
  z.strictObject({
    title: z.string().min(1).max(300).optional(),
    body: z.string().max(60_000).optional(),
  }),
);
export type PullRequestRequest = z.input<typeof pullRequestRequestSchema>;

export const pullRequestReplySchema = z
  .object({ url: z.string() })
  .meta({ id: "PullRequestReply" });
export type PullRequestReply = z.infer<typeof pullRequestReplySchema>;
