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

const commitFields = {
  message: z
    .string()
    .min(1)
    .max(MAX_MESSAGE)
    .optional()
    .describe("by default it is made from the session"),
};
export const commitRequestSchema = orEmpty(z.strictObject(commitFields));
export type CommitRequest = z.input<typeof commitRequestSchema>;

export const commitReplySchema = z
  .object({ commit: z.string(), files: countSchema, message: z.string() })
  .meta({ id: "CommitReply" });
export type CommitReply = z.infer<typeof commitReplySchema>;

const mergeFields = {
  into: nameSchema
    .optional()
    .describe(
      "a branch; by default the configured one, or the one that is checked out in the repository",
    ),
};
export const mergeRequestSchema = orEmpty(z.strictObject(mergeFields));
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

const rebaseFields = {
  onto: nameSchema.optional().describe("a branch, tag or commit; by default as for a merge"),
};
export const rebaseRequestSchema = orEmpty(z.strictObject(rebaseFields));
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

const pullRequestFields = {
  title: z.string().min(1).max(300).optional(),
  body: z.string().max(60_000).optional(),
};
export const pullRequestRequestSchema = orEmpty(z.strictObject(pullRequestFields));
export type PullRequestRequest = z.input<typeof pullRequestRequestSchema>;

export const pullRequestReplySchema = z
  .object({ url: z.string() })
  .meta({ id: "PullRequestReply" });
export type PullRequestReply = z.infer<typeof pullRequestReplySchema>;

const WORK_TOOL_NAMES = [
  "commit_changes",
  "rebase_branch",
  "merge_branch",
  "push_branch",
  "open_pull_request",
] as const;
export type WorkTool = (typeof WORK_TOOL_NAMES)[number];

/** The arguments of the tools with which agents keep their work. */
export const WORK_TOOLS = {
  commit_changes: commitFields,
  rebase_branch: rebaseFields,
  merge_branch: mergeFields,
  push_branch: {},
  open_pull_request: pullRequestFields,
} as const satisfies Readonly<Record<WorkTool, z.core.$ZodLooseShape>>;

export const agentWorkRequestSchema = z
  .discriminatedUnion("tool", [
    z.strictObject({ tool: z.literal("commit_changes"), ...WORK_TOOLS.commit_changes }),
    z.strictObject({ tool: z.literal("rebase_branch"), ...WORK_TOOLS.rebase_branch }),
    z.strictObject({ tool: z.literal("merge_branch"), ...WORK_TOOLS.merge_branch }),
    z.strictObject({ tool: z.literal("push_branch"), ...WORK_TOOLS.push_branch }),
    z.strictObject({ tool: z.literal("open_pull_request"), ...WORK_TOOLS.open_pull_request }),
  ])
  .meta({ id: "AgentWorkRequest" });
export type AgentWorkRequest = z.infer<typeof agentWorkRequestSchema>;

export const agentWorkReplySchema = z
  .object({
    isDone: z.boolean().describe("false while a person has to allow it"),
    text: z.string().describe("the outcome, for the agent"),
  })
  .meta({ id: "AgentWorkReply" });
export type AgentWorkReply = z.infer<typeof agentWorkReplySchema>;

export const agentWorkToolsSchema = z
  .object({ tools: z.array(z.enum(WORK_TOOL_NAMES)).describe("the tools of the session's agents") })
  .meta({ id: "AgentWorkTools" });
export type AgentWorkTools = z.infer<typeof agentWorkToolsSchema>;
