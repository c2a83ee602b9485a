import { z } from "zod";
import { orEmpty } from "../fields/empty-body.ts";
import { agentIdSchema, idSchema } from "../fields/identifier.ts";
import { isJsonWithin, LIMITS } from "../fields/limits.ts";
import {
  hasOneOfTextAndContent,
  messagePartsSchema,
  messageTextSchema,
  ONE_OF_TEXT_AND_CONTENT,
} from "../message.ts";
import {
  deliveryPolicySchema,
  outcomeSchema,
  phaseSchema,
  stateSchema,
  statusSchema,
} from "../session.ts";
import { timeInputSchema } from "../fields/time.ts";

const titleSchema = z.string().max(LIMITS.titleLength);
const nameSchema = z.string().min(1).max(LIMITS.nameLength);
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
      .refine(hasOneOfTextAndContent, ONE_OF_TEXT_AND_CONTENT),
  ],
  "must be a text, or an object with text or content",
);

export const createSessionRequestSchema = orEmpty(
  z
    .strictObject({
      agentId: agentIdSchema.nullish().describe("an id of your own beside the UUID, unique"),
      repoId: idSchema.nullish(),
      title: titleSchema.nullish(),
      provider: nameSchema.nullish(),
      model: nameSchema.nullish(),
      agentName: nameSchema.nullish(),
      purpose: z.string().max(LIMITS.purposeLength).nullish(),
      metadata: metadataSchema.optional(),
      message: firstMessageSchema.optional().describe("starts the first run"),
    })
    .meta({ id: "CreateSessionRequest" }),
);
export type CreateSessionRequest = z.infer<typeof createSessionRequestSchema>;

export const listSessionsQuerySchema = z.object({
  repoId: idSchema.optional(),
  status: listOf(statusSchema).optional().describe("comma-separated"),
  state: listOf(stateSchema).optional().describe("comma-separated"),
  phase: phaseSchema.optional(),
  agent: nameSchema.optional(),
  provider: nameSchema
    .optional()
    .describe(
      "the agent of a message that chooses none: the preference, else that of the last run, else the default",
    ),
  q: z.string().max(LIMITS.searchLength).optional().describe("words to find, each as a prefix"),
  from: timeInputSchema.optional().describe("active at or after"),
  to: timeInputSchema.optional().describe("created before"),
  limit: z.coerce.number().int().min(1).max(LIMITS.pageSize).default(20),
  offset: z.coerce.number().int().nonnegative().default(0),
  cursor: z.string().min(1).max(LIMITS.cursorLength).optional(),
});
export type ListSessionsQuery = z.infer<typeof listSessionsQuerySchema>;

export const updateSessionRequestSchema = z
  .strictObject({
    title: titleSchema.nullable().optional(),
    metadata: metadataSchema.optional().describe("merged into what is there"),
    phase: phaseSchema.optional(),
    error: reasonSchema.optional().describe("counted, and kept as the last one"),
    resetErrors: z
      .boolean()
      .optional()
      .describe("sets errorCount to 0, before an error of the same request is counted"),
    delivery: deliveryPolicySchema.optional(),
    provider: nameSchema.nullable().optional(),
    model: nameSchema.nullable().optional(),
  })
  .meta({ id: "UpdateSessionRequest" });
export type UpdateSessionRequest = z.infer<typeof updateSessionRequestSchema>;

export const cancelRequestSchema = orEmpty(
  z.strictObject({ reason: reasonSchema.optional() }).meta({ id: "CancelRequest" }),
);
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

export const resumeRequestSchema = orEmpty(
  z
    .strictObject({
      suspensionId: idSchema.optional(),
      answer: z
        .unknown()
        .optional()
        .describe("what its kind asks for: a permission option's id, a tool's result, text"),
    })
    .refine(
      ({ suspensionId, answer }) => (suspensionId === undefined) === (answer === undefined),
      "give suspensionId and answer together, or neither",
    )
    .refine(({ answer }) => isJsonWithin(answer, LIMITS.answerBytes), {
      path: ["answer"],
      message: `must be at most 1 MiB of JSON, nested at most ${LIMITS.jsonDepth} deep`,
    })
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
    .strictObject({ atMessage: idSchema.nullish().describe("the last message taken over") })
    .meta({ id: "ForkRequest" }),
);
export type ForkRequest = z.infer<typeof forkRequestSchema>;

/** For requests that say all by their URL: archive. */
export const emptyRequestSchema = orEmpty(z.strictObject({}).meta({ id: "EmptyRequest" }));

/** `a,b`, and in a client's hands the values themselves. */
function listOf<Values extends Readonly<Record<string, string>>>(value: z.ZodEnum<Values>) {
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(value));
}
