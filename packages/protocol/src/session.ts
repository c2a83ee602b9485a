import { z } from "zod";
import { sessionCountsSchema } from "./health.ts";
import { idSchema } from "./identifier.ts";
import { messageSchema } from "./message.ts";
import { repositorySchema } from "./repository.ts";
import { openSuspensionSchema } from "./suspension.ts";
import { timeSchema } from "./time.ts";

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

export const sessionSchema = z
  .object({
    id: idSchema,
    repoId: idSchema.nullable(),
    title: z.string().nullable(),
    status: statusSchema,
    state: stateSchema,
    suspension: openSuspensionSchema.nullable().describe("what it waits for, the oldest"),
    suspensions: z.array(openSuspensionSchema).describe("everything it waits for, oldest first"),
    phase: phaseSchema,
    phaseHistory: z.array(phaseChangeSchema),
    resumeReady: z.boolean(),
    errorCount: z.int().nonnegative(),
    lastError: z.string().nullable(),
    failure: z.string().nullable().describe("why its status is error"),
    agentName: z.string().nullable(),
    purpose: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    provider: z.string().nullable().describe("preference; each run chooses its own"),
    model: z.string().nullable(),
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
    lastActiveAt: timeSchema,
    archivedAt: timeSchema.nullable(),
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

export const sessionListSchema = z
  .object({
    sessions: z.array(sessionSchema).describe("newest first, without messages"),
    total: z.int().nonnegative(),
    limit: z.int().positive(),
    offset: z.int().nonnegative(),
    nextCursor: z.string().nullable().describe("`cursor` of the next page, if there is one"),
    counts: sessionCountsSchema,
  })
  .meta({ id: "SessionList" });
export type SessionList = z.infer<typeof sessionListSchema>;
