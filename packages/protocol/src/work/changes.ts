import { z } from "zod";
import { countSchema } from "../fields/number.ts";
import { idSchema } from "../fields/identifier.ts";

export const changeCountsSchema = z
  .object({
    files: countSchema,
    added: countSchema.describe("lines"),
    deleted: countSchema.describe("lines"),
  })
  .meta({ id: "ChangeCounts", description: "Binary files count as files, without lines." });
export type ChangeCounts = z.infer<typeof changeCountsSchema>;

export const WORKSPACE_KINDS = ["shared", "worktree"] as const;
export const workspaceKindSchema = z.enum(WORKSPACE_KINDS);
export type WorkspaceKind = z.infer<typeof workspaceKindSchema>;

export const worktreeSchema = z
  .object({
    path: z.string(),
    branch: z.string(),
    base: z.string().describe("the commit at which the branch began"),
  })
  .meta({ id: "Worktree" });
export type Worktree = z.infer<typeof worktreeSchema>;

export const worktreeEndSchema = z
  .object({
    path: z.string(),
    removed: z.boolean(),
    message: z.string().nullable().describe("why it is still there"),
    keptAs: z
      .string()
      .nullable()
      .describe("the ref with work that was not in any branch; null if there was none"),
  })
  .meta({ id: "WorktreeEnd", description: "What became of the worktree of a deleted session." });
export type WorktreeEnd = z.infer<typeof worktreeEndSchema>;

/** Longer paths do not exist. */
const MAX_PATH = 4_096;

export const changesQuerySchema = z.object({
  run: idSchema.optional().describe("only what changed during this run: its ID, or `last`"),
  since: idSchema.optional().describe("what has changed since this run began: its ID, or `last`"),
});
export type ChangesQuery = z.infer<typeof changesQuerySchema>;

export const fileChangesQuerySchema = changesQuerySchema.extend({
  path: z.string().min(1).max(MAX_PATH).describe("a path of the list"),
});
export type FileChangesQuery = z.infer<typeof fileChangesQuerySchema>;

export const FILE_CHANGES = ["added", "modified", "deleted", "renamed", "type_changed"] as const;

export const changedFileSchema = z
  .object({
    path: z.string().describe("the path afterwards, or before if the file was deleted"),
    change: z.enum(FILE_CHANGES),
    from: z.string().nullable().describe("the path before; null if the file was not renamed"),
    added: countSchema.nullable().describe("lines; null for a binary file or a submodule"),
    deleted: countSchema.nullable().describe("lines; null for a binary file or a submodule"),
    modeBefore: z.string().nullable().describe("the mode in Git, such as 100644"),
    modeAfter: z.string().nullable(),
    by: z
      .enum(["session", "others", "both"])
      .describe(
        "others: it changed only while no run of this session was at work, so somebody else changed it. both: in a run, and at another time",
      ),
  })
  .meta({ id: "ChangedFile" });
export type ChangedFile = z.infer<typeof changedFileSchema>;

export const changesSchema = z
  .object({
    available: z.boolean().describe("false if nothing is known; `reason` says why"),
    reason: z.string().nullable(),
    isLive: z.boolean().describe("whether the files are compared as they are now"),
    counts: changeCountsSchema,
    files: z.array(changedFileSchema).describe("sorted by path"),
    isCut: z.boolean().describe("true if there are more files than are listed"),
    tooLarge: countSchema.describe("changed files that are too large to be compared"),
  })
  .meta({ id: "Changes", description: "The files that changed." });
export type Changes = z.infer<typeof changesSchema>;

export const fileDiffSchema = z
  .object({
    path: z.string(),
    patch: z.string().describe("a unified diff, as Git writes it"),
    isCut: z.boolean().describe("true if the rest is left out"),
  })
  .meta({ id: "FileDiff" });
export type FileDiff = z.infer<typeof fileDiffSchema>;

export const rewindRequestSchema = z
  .strictObject({
    run: idSchema
      .optional()
      .describe("the run whose beginning is the state to go back to: its ID, or `last`"),
    files: z.boolean().default(true).describe("whether files are restored"),
    conversation: z
      .boolean()
      .default(true)
      .describe("whether the run and all later ones leave the conversation"),
    force: z
      .boolean()
      .default(false)
      .describe(
        "also restores files that somebody else has changed since; needs the scope approve",
      ),
    dryRun: z.boolean().default(false).describe("only says what would be done"),
    undo: idSchema.optional().describe("takes this rewind back, which must be the last one"),
  })
  .refine((request) => (request.run === undefined) !== (request.undo === undefined), {
    error: "must have either `run` or `undo`",
  })
  .refine((request) => request.files || request.conversation, {
    error: "must rewind `files`, the `conversation`, or both",
  });
export type RewindRequest = z.input<typeof rewindRequestSchema>;

export const KEPT_REASONS = ["edited_since", "in_the_way", "ignored", "submodule"] as const;

export const rewindSchema = z
  .object({
    id: idSchema,
    run: idSchema.describe("the first run that is undone"),
    undoes: idSchema.nullable().describe("the rewind that this one takes back"),
    status: z
      .enum(["restoring", "done", "failed"])
      .describe("restoring: files are being changed, and no run starts before that has ended"),
    error: z.string().nullable(),
  })
  .meta({ id: "Rewind" });
export type Rewind = z.infer<typeof rewindSchema>;

export const rewindReplySchema = z
  .object({
    rewind: rewindSchema.nullable().describe("null for a dry run"),
    runs: z.array(idSchema).describe("the runs that leave the conversation, or return to it"),
    files: z.array(changedFileSchema.omit({ by: true })).describe("what is done to files"),
    kept: z
      .array(z.object({ path: z.string(), reason: z.enum(KEPT_REASONS) }))
      .describe(
        "files that stay as they are. edited_since: somebody else has changed it. in_the_way: a file that is kept or ignored is in its place. ignored: Git ignored it at that time. submodule: it is a repository of its own",
      ),
  })
  .meta({ id: "RewindReply" });
export type RewindReply = z.infer<typeof rewindReplySchema>;
