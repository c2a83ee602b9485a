import { z } from "zod";
import { ANSWER_WITHIN_LIMITS, nameSchema, orEmpty, TEXT_OR_CONTENT } from "../fields/body.ts";
import { directoriesSchema, mcpServersSchema } from "../fields/connections.ts";
import { listOf } from "../fields/list.ts";
import { countInputSchema, limitSchema } from "../fields/number.ts";
import { agentIdSchema, idSchema } from "../fields/identifier.ts";
import { isJsonWithin, LIMITS } from "../fields/limits.ts";
import { messagePartsSchema, messageTextSchema } from "../message.ts";
import {
  deliveryPolicySchema,
  outcomeSchema,
  phaseSchema,
  runOutcomeSchema,
  stateSchema,
  statusSchema,
} from "../session.ts";
import { modeInputSchema, optionChangesInputSchema, optionsInputSchema } from "./agent-options.ts";
import { workspaceKindSchema } from "../work/changes.ts";
import { timeInputSchema } from "../fields/time.ts";

const titleSchema = z.string().max(LIMITS.titleLength);
const reasonSchema = z.string().min(1).max(LIMITS.reasonLength);
const metadataSchema = z
  .record(z.string(), z.unknown())
  .refine(
    (metadata) => isJsonWithin(metadata, LIMITS.metadataBytes),
    `must be at most 64 KiB of JSON, nested at most ${LIMITS.jsonDepth} deep`,
  );

export const firstMessageSchema = z.union(
  [
    messageTextSchema,
    z
      .strictObject({ text: messageTextSchema.optional(), content: messagePartsSchema.optional() })
      .refine(...TEXT_OR_CONTENT),
  ],
  "must be a string, or an object with text or content",
);

export const deleteSessionQuerySchema = z.strictObject({
  worktree: z
    .enum(["clean", "remove"])
    .default("clean")
    .describe(
      "clean: its worktree is removed if everything in it is committed. remove: in any case; other work is kept as a ref first",
    ),
  agentSessions: z
    .enum(["keep", "delete"])
    .default("keep")
    .describe(
      "delete: also delete the sessions that the session's agents keep, where they offer that; the reply then has `agentSessions`, and takes until the agents have answered",
    ),
});
export type DeleteSessionQuery = z.input<typeof deleteSessionQuerySchema>;

export const createSessionRequestSchema = orEmpty(
  z
    .strictObject({
      agentId: agentIdSchema
        .nullish()
        .describe("your own unique ID for the session, besides its UUID"),
      repoId: idSchema.nullish(),
      workspace: workspaceKindSchema
        .nullish()
        .describe(
          "where agents work; by default as configured for the repository. worktree: in a Git worktree with a branch of its own",
        ),
      base: nameSchema
        .nullish()
        .describe(
          "the commit, branch or tag at which the worktree begins; by default the current one",
        ),
      title: titleSchema.nullish(),
      provider: nameSchema.nullish(),
      model: nameSchema.nullish(),
      mode: modeInputSchema
        .nullish()
        .describe("mode of the agent; needs the scope approve, like options"),
      options: optionsInputSchema.optional().describe("options of the agent by their ID"),
      agentName: nameSchema.nullish(),
      purpose: z.string().max(LIMITS.purposeLength).nullish(),
      metadata: metadataSchema.optional().describe("`permissions` in it needs the scope approve"),
      mcpServers: mcpServersSchema
        .optional()
        .describe(
          "MCP servers for the agents of the session; needs the scope admin, because agents start them without a question",
        ),
      directories: directoriesSchema
        .optional()
        .describe("further folders inside the workspace root in which agents may work"),
      message: firstMessageSchema.optional().describe("starts the first run"),
    })
    .meta({ id: "CreateSessionRequest" }),
);
export type CreateSessionRequest = z.infer<typeof createSessionRequestSchema>;

export const listSessionsQuerySchema = z.object({
  repoId: idSchema.optional(),
  status: listOf(statusSchema).optional().describe("comma-separated"),
  state: listOf(stateSchema).optional().describe("comma-separated"),
  outcome: listOf(runOutcomeSchema)
    .optional()
    .describe("how the last run ended, comma-separated; a session may run again since"),
  phase: phaseSchema.optional(),
  agent: nameSchema.optional(),
  provider: nameSchema
    .optional()
    .describe(
      "sessions whose next message goes to this provider: their preference, or the provider of the last run, or the default",
    ),
  q: z
    .string()
    .max(LIMITS.searchLength)
    .optional()
    .describe("search words; each one matches as a prefix"),
  from: timeInputSchema.optional().describe("sessions active at or after this time"),
  to: timeInputSchema.optional().describe("sessions created before this time"),
  limit: limitSchema(LIMITS.pageSize, 20),
  offset: countInputSchema.default(0),
  order: z
    .enum(["created", "turn"])
    .optional()
    .describe(
      "newest first, by creation (default), or by the last turn, so that a session that is worked in comes first",
    ),
  cursor: z.string().min(1).max(LIMITS.cursorLength).optional(),
});
export type ListSessionsQuery = z.infer<typeof listSessionsQuerySchema>;

export const updateSessionRequestSchema = z
  .strictObject({
    title: titleSchema.nullable().optional(),
    metadata: metadataSchema
      .optional()
      .describe(
        "merged into the existing metadata; `budget` and `permissions` in it need the scope approve",
      ),
    phase: phaseSchema.optional(),
    error: reasonSchema.optional().describe("increases errorCount and sets lastError"),
    resetErrors: z.boolean().optional().describe("sets errorCount to 0 before `error` is counted"),
    delivery: deliveryPolicySchema.optional(),
    provider: nameSchema.nullable().optional(),
    model: nameSchema.nullable().optional(),
    mode: modeInputSchema
      .nullable()
      .optional()
      .describe(
        "mode of the agent of the next message; null leaves it to the agent. Needs the scope approve, like options",
      ),
    options: optionChangesInputSchema
      .optional()
      .describe("options of that agent; others stay as they are. null: the agent's default"),
    mcpServers: mcpServersSchema
      .optional()
      .describe("replaces all MCP servers from the next run on; needs the scope admin"),
    directories: directoriesSchema
      .optional()
      .describe("replaces all further folders from the next run on"),
  })
  .meta({ id: "UpdateSessionRequest" });
export type UpdateSessionRequest = z.infer<typeof updateSessionRequestSchema>;

export const cancelRequestSchema = orEmpty(
  z
    .strictObject({
      reason: reasonSchema.optional(),
      runId: idSchema
        .optional()
        .describe("cancel only this run; by default, whichever run is current"),
    })
    .meta({ id: "CancelRequest" }),
);
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

export const resumeRequestSchema = orEmpty(
  z
    .strictObject({
      suspensionId: idSchema.optional(),
      answer: z
        .unknown()
        .optional()
        .describe(
          "depends on the kind: the ID of a permission option, the action and content of an " +
            "elicitation, a tool result, or text",
        ),
    })
    .refine(
      ({ suspensionId, answer }) => (suspensionId === undefined) === (answer === undefined),
      "must have suspensionId and answer together, or neither",
    )
    .refine(...ANSWER_WITHIN_LIMITS)
    .meta({ id: "ResumeRequest" }),
);
export type ResumeRequest = z.infer<typeof resumeRequestSchema>;

export const finalizeRequestSchema = z
  .strictObject({
    outcome: outcomeSchema,
    summary: z.string().max(LIMITS.summaryLength).nullish(),
  })
  .meta({ id: "FinalizeRequest" });
export type FinalizeRequest = z.infer<typeof finalizeRequestSchema>;

export const failRequestSchema = z
  .strictObject({ reason: reasonSchema })
  .meta({ id: "FailRequest" });
export type FailRequest = z.infer<typeof failRequestSchema>;

export const forkRequestSchema = orEmpty(
  z
    .strictObject({ atMessage: idSchema.nullish().describe("the last message to copy") })
    .meta({ id: "ForkRequest" }),
);
export type ForkRequest = z.infer<typeof forkRequestSchema>;

/** For requests without fields. */
export const emptyRequestSchema = orEmpty(z.strictObject({}).meta({ id: "EmptyRequest" }));
