import { z } from "zod";
import { sessionCountsSchema } from "./health.ts";
import { idSchema } from "./fields/identifier.ts";
import { LIMITS } from "./fields/limits.ts";
import { messageSchema, roleSchema } from "./message.ts";
import { repositorySchema } from "./repository.ts";
import { openSuspensionSchema } from "./suspension.ts";
import { timeSchema } from "./fields/time.ts";

/** The session's place in the user's life. */
export const STATUSES = ["active", "suspended", "archived", "error"] as const;
export const statusSchema = z.enum(STATUSES);
export type Status = z.infer<typeof statusSchema>;

/** What is happening now. */
export const STATES = ["idle", "running", "suspended"] as const;
export const stateSchema = z.enum(STATES);
export type State = z.infer<typeof stateSchema>;

/** What kind of work the agent says it is doing. */
export const PHASES = [
  "initializing",
  "investigating",
  "planning",
  "approval",
  "executing",
  "validating",
  "completed",
  "failed",
  "abandoned",
] as const;
export const phaseSchema = z.enum(PHASES);
export type Phase = z.infer<typeof phaseSchema>;

export const OUTCOMES = ["completed", "failed", "abandoned"] as const;
export const outcomeSchema = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof outcomeSchema>;

/** The session's policy for messages. */
export const DELIVERY_POLICIES = ["open", "hold", "reject"] as const;
export const deliveryPolicySchema = z.enum(DELIVERY_POLICIES);
export type DeliveryPolicy = z.infer<typeof deliveryPolicySchema>;

export const phaseChangeSchema = z
  .object({ from: phaseSchema, to: phaseSchema, at: timeSchema })
  .meta({ id: "PhaseChange" });
export type PhaseChange = z.infer<typeof phaseChangeSchema>;

export const pastPhaseSchema = phaseChangeSchema
  .extend({
    durationMs: z
      .int()
      .nonnegative()
      .nullable()
      .describe("how long the phase it came from had lasted; null where that is no longer known"),
  })
  .meta({ id: "PastPhase" });
export type PastPhase = z.infer<typeof pastPhaseSchema>;

/** A history keeps so many changes; the log has all. */
export const PHASE_HISTORY_KEPT = 200;

/** With how long each had lasted. The first began with the session, unless older ones are left out. */
export function withDurations(
  changes: readonly PhaseChange[],
  createdAt: string,
): readonly PastPhase[] {
  let before = changes.length < PHASE_HISTORY_KEPT ? Date.parse(createdAt) : null;
  return changes.map(({ from, to, at }) => {
    const began = before;
    before = Date.parse(at);
    const durationMs = began === null ? null : Math.max(0, before - began);
    return { from, to, at, durationMs };
  });
}

export const sessionSchema = z
  .object({
    id: idSchema,
    agentId: idSchema.nullable().describe("what an orchestrator calls it; good wherever the id is"),
    repoId: idSchema.nullable(),
    title: z.string().nullable(),
    status: statusSchema,
    state: stateSchema,
    suspension: openSuspensionSchema.nullable().describe("what it waits for, the oldest"),
    suspensions: z.array(openSuspensionSchema).describe("everything it waits for, oldest first"),
    phase: phaseSchema,
    phaseHistory: z.array(pastPhaseSchema),
    resumeReady: z.boolean(),
    errorCount: z
      .int()
      .nonnegative()
      .describe("errors since the last completed run, or since they were reset"),
    lastError: z.string().nullable().describe("stays when the count is reset"),
    lastErrorAt: timeSchema
      .nullable()
      .describe("when it happened; null where that was not recorded"),
    failure: z.string().nullable().describe("why its status is error"),
    agentName: z.string().nullable(),
    purpose: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    provider: z.string().nullable().describe("preference; each run chooses its own"),
    model: z.string().nullable().describe("preference, of the preferred provider's models"),
    next: z
      .object({ provider: z.string().nullable(), model: z.string().nullable() })
      .describe(
        "the agent of a message that chooses none: the preference, else that of the last run; provider null: the server's default, model null: the provider's",
      ),
    supportsResume: z.boolean(),
    delivery: deliveryPolicySchema,
    queued: z.int().nonnegative().describe("messages accepted, not yet given to an agent"),
    forkedFrom: z
      .object({ sessionId: idSchema, atMessage: idSchema.nullable() })
      .nullable()
      .describe("the session whose history it began with, and up to which message"),
    version: z.int().nonnegative().describe("for If-Match; also the ETag"),
    createdAt: timeSchema,
    updatedAt: timeSchema,
    lastActiveAt: timeSchema.describe("when a person, an agent or a hook last did something"),
    suspendedAt: timeSchema.nullable().describe("since when its status is suspended"),
    suspendedReason: z
      .string()
      .nullable()
      .describe("why a suspended session cannot go on; null while only its server was away"),
    archivedAt: timeSchema.nullable(),
    removeAt: timeSchema
      .nullable()
      .describe("when retention removes it, if nothing happens to it before; null for never"),
    finalizedAt: timeSchema.nullable(),
    summary: z.string().nullable(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof sessionSchema>;

export const wholeSessionSchema = sessionSchema
  .extend({
    repo: repositorySchema.nullable(),
    messages: z.array(messageSchema),
    lastEventId: z.string().describe("where an event stream goes on from what is here"),
  })
  .meta({ id: "WholeSession" });
export type WholeSession = z.infer<typeof wholeSessionSchema>;

export const rawSessionSchema = z
  .object({
    row: z
      .record(z.string(), z.unknown())
      .describe("the session's row, by column; JSON in it is text, as it is stored"),
    reason: z.string().nullable().describe("why the session cannot be read; null when it can"),
    parts: z
      .array(
        z.object({
          table: z.string(),
          id: z.string(),
          reason: z.string().describe("the column, and what is wrong with it"),
          row: z.unknown().describe("as it is stored"),
        }),
      )
      .max(100)
      .describe("messages, runs, suspensions and queued messages that cannot be read"),
    partCount: z.int().nonnegative().describe("how many there are; at most 100 are shown"),
  })
  .meta({ id: "RawSession", description: "A session as it is stored." });
export type RawSession = z.infer<typeof rawSessionSchema>;

export const searchHitSchema = z
  .object({
    sessionId: idSchema,
    messageId: idSchema,
    role: roleSchema,
    type: z
      .string()
      .nullable()
      .describe("of the message's content; null where it is too long to look through"),
    text: z
      .string()
      .max(LIMITS.excerptLength)
      .describe(
        "what the message says there, on one line; empty where it is too long to look through",
      ),
    marks: z
      .array(z.object({ start: z.int().nonnegative(), end: z.int().positive() }))
      .describe("where in `text` the words are, in order: UTF-16 code units, `end` excluded"),
  })
  .meta({ id: "SearchHit", description: "The message of a session that a search found." });
export type SearchHit = z.infer<typeof searchHitSchema>;

export const sessionListSchema = z
  .object({
    sessions: z.array(sessionSchema).describe("newest first, without messages"),
    total: z.int().nonnegative(),
    limit: z.int().positive(),
    offset: z.int().nonnegative(),
    nextCursor: z.string().nullable().describe("`cursor` of the next page, if there is one"),
    counts: sessionCountsSchema,
    hits: z
      .array(searchHitSchema)
      .optional()
      .describe(
        "with `q`: of each of these sessions one message that has the words, if any has; others were found by their title, purpose or agent's name",
      ),
  })
  .meta({ id: "SessionList" });
export type SessionList = z.infer<typeof sessionListSchema>;
