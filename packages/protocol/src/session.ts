import { z } from "zod";
import { sessionMcpServersSchema } from "./fields/connections.ts";
import {
  changeCountsSchema,
  rewindSchema,
  workspaceKindSchema,
  worktreeEndSchema,
  worktreeSchema,
} from "./work/changes.ts";
import { countSchema } from "./fields/number.ts";
import { sessionCountsSchema } from "./health.ts";
import { idSchema } from "./fields/identifier.ts";
import { LIMITS } from "./fields/limits.ts";
import { messageSchema, roleSchema } from "./message.ts";
import { repositorySchema } from "./repository.ts";
import { decisionSchema, openSuspensionSchema } from "./suspension.ts";
import { optionValuesSchema } from "./requests/agent-options.ts";
import { timeSchema } from "./fields/time.ts";
import { PHASES, STATES, STATUSES } from "./vocabulary.ts";

export const statusSchema = z.enum(STATUSES);
export type Status = z.infer<typeof statusSchema>;

export const stateSchema = z.enum(STATES);
export type State = z.infer<typeof stateSchema>;

export const phaseSchema = z.enum(PHASES);
export type Phase = z.infer<typeof phaseSchema>;

export const OUTCOMES = ["completed", "failed", "abandoned"] as const;
export const outcomeSchema = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof outcomeSchema>;

/** How a session treats new messages. */
export const DELIVERY_POLICIES = ["open", "hold", "reject"] as const;
export const deliveryPolicySchema = z.enum(DELIVERY_POLICIES);
export type DeliveryPolicy = z.infer<typeof deliveryPolicySchema>;

export const phaseChangeSchema = z
  .object({ from: phaseSchema, to: phaseSchema, at: timeSchema })
  .meta({ id: "PhaseChange" });
export type PhaseChange = z.infer<typeof phaseChangeSchema>;

export const pastPhaseSchema = phaseChangeSchema
  .extend({
    durationMs: countSchema
      .nullable()
      .describe("duration of the previous phase; null if it is no longer known"),
  })
  .meta({ id: "PastPhase" });
export type PastPhase = z.infer<typeof pastPhaseSchema>;

export const runOutcomeSchema = z.enum(["completed", "failed", "cancelled", "interrupted"]);

export const lastTurnSchema = z
  .object({
    at: timeSchema.describe(
      "when a message was sent, a question asked or answered, or a run began or ended; output does not count",
    ),
    outcome: runOutcomeSchema
      .nullable()
      .describe("how the last run ended; null before the first end"),
    line: z.string().nullable().describe("the last line that an agent said; null if there is none"),
  })
  .meta({ id: "LastTurn", description: "The latest turn of a session, for lists." });
export type LastTurn = z.infer<typeof lastTurnSchema>;

export const sessionSchema = z
  .object({
    id: idSchema,
    agentId: idSchema
      .nullable()
      .describe("an ID chosen by the client; accepted wherever the session ID is"),
    repoId: idSchema.nullable(),
    title: z.string().nullable(),
    status: statusSchema,
    state: stateSchema,
    suspension: openSuspensionSchema.nullable().describe("the oldest open suspension"),
    suspensions: z.array(openSuspensionSchema).describe("all open suspensions, oldest first"),
    phase: phaseSchema,
    phaseHistory: z.array(pastPhaseSchema),
    resumeReady: z.boolean(),
    errorCount: countSchema.describe("errors since the last completed run or the last reset"),
    lastError: z.string().nullable().describe("kept when errorCount is reset"),
    lastErrorAt: timeSchema
      .nullable()
      .describe("time of the last error; null if it was not recorded"),
    failure: z.string().nullable().describe("why the status is error"),
    agentName: z.string().nullable(),
    purpose: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    mcpServers: sessionMcpServersSchema.describe(
      "MCP servers of the user; values from variables of the server are not shown",
    ),
    directories: z.array(z.string()).describe("further folders in which agents may work"),
    provider: z.string().nullable().describe("preferred provider; a message may choose another"),
    model: z.string().nullable().describe("preferred model of the preferred provider"),
    next: z
      .object({ provider: z.string().nullable(), model: z.string().nullable() })
      .describe(
        "the provider and model of the next message, unless it chooses others: the preference, or those of the last run; null means the default",
      ),
    mode: z
      .string()
      .nullable()
      .default(null)
      .describe(
        "mode of the agent of the next message; null if the agent or the configuration decides",
      ),
    options: optionValuesSchema
      .default({})
      .describe("options of that agent that were chosen, or that it changed itself"),
    supportsResume: z.boolean(),
    supportsSteering: z
      .boolean()
      .default(false)
      .describe(
        "whether the agent of the current or last run takes messages during its work, so that `delivery: steer` reaches it at once",
      ),
    delivery: deliveryPolicySchema,
    queued: countSchema.describe("number of accepted messages that no agent has received yet"),
    forkedFrom: z
      .object({ sessionId: idSchema, atMessage: idSchema.nullable() })
      .nullable()
      .describe("the session that this one was forked from, and the last message it took over"),
    workspace: workspaceKindSchema
      .default("shared")
      .describe(
        "where agents work. shared: in the folder of the repository. worktree: in a Git worktree that only this session uses",
      ),
    worktree: worktreeSchema
      .nullable()
      .default(null)
      .describe("the worktree; null until the first run needs it"),
    changes: changeCountsSchema
      .nullable()
      .default(null)
      .describe("what has changed since the first run began; null if it is not known"),
    rewind: rewindSchema
      .nullable()
      .default(null)
      .describe("the last rewind, as long as no run has started since"),
    version: countSchema.describe("version for If-Match; also sent as ETag"),
    createdAt: timeSchema,
    updatedAt: timeSchema,
    lastActiveAt: timeSchema.describe("time of the last activity of a person, an agent or a hook"),
    lastTurn: lastTurnSchema,
    suspendedAt: timeSchema.nullable().describe("when the status became suspended"),
    suspendedReason: z
      .string()
      .nullable()
      .describe("why a suspended session cannot continue; null if only its server was stopped"),
    archivedAt: timeSchema.nullable(),
    removeAt: timeSchema
      .nullable()
      .describe("when retention removes the session if it stays inactive; null: never"),
    finalizedAt: timeSchema.nullable(),
    summary: z.string().nullable(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof sessionSchema>;

export const wholeSessionSchema = sessionSchema
  .extend({
    repo: repositorySchema.nullable(),
    messages: z.array(messageSchema),
    earlier: countSchema.default(0).describe("number of older messages that `tail` left out"),
    decisions: z
      .array(decisionSchema)
      .optional()
      .describe("with `tail`: the last decision on each tool call among the messages"),
    rewoundRuns: z
      .array(idSchema)
      .default([])
      .describe("the runs that were taken back; agents do not know their messages any more"),
    lastEventId: z.string().describe("position from which an event stream continues this reply"),
  })
  .meta({ id: "WholeSession" });
export type WholeSession = z.infer<typeof wholeSessionSchema>;

export const sessionQuerySchema = z.object({
  tail: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMITS.messagePageSize)
    .optional()
    .describe(
      "only the last messages, at least so many: all that can still change are among them; the others are listed with `before`",
    ),
});
export type SessionQuery = z.infer<typeof sessionQuerySchema>;

export const rawSessionSchema = z
  .object({
    row: z
      .record(z.string(), z.unknown())
      .describe("the stored row by column; JSON columns are text"),
    reason: z.string().nullable().describe("why the session cannot be read; null if it can"),
    parts: z
      .array(
        z.object({
          table: z.string(),
          id: z.string(),
          reason: z.string().describe("the column and its error"),
          row: z.unknown().describe("the stored row"),
        }),
      )
      .max(100)
      .describe("unreadable messages, runs, suspensions and queued messages"),
    partCount: countSchema.describe("total number; at most 100 are listed"),
  })
  .meta({ id: "RawSession", description: "The stored data of a session." });
export type RawSession = z.infer<typeof rawSessionSchema>;

export const searchHitSchema = z
  .object({
    sessionId: idSchema,
    messageId: idSchema,
    role: roleSchema,
    type: z
      .string()
      .nullable()
      .describe("type of the message's content; null if the message is too long to search"),
    text: z
      .string()
      .max(LIMITS.excerptLength)
      .describe("the matching text on one line; empty if the message is too long to search"),
    marks: z
      .array(z.object({ start: countSchema, end: z.int().positive() }))
      .describe("positions of the words in `text`, in UTF-16 code units; `end` is exclusive"),
  })
  .meta({ id: "SearchHit", description: "A message that matches a search." });
export type SearchHit = z.infer<typeof searchHitSchema>;

export const sessionListSchema = z
  .object({
    sessions: z.array(sessionSchema).describe("newest first, without messages"),
    total: countSchema,
    limit: z.int().positive(),
    offset: countSchema,
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
    counts: sessionCountsSchema,
    hits: z
      .array(searchHitSchema)
      .optional()
      .describe(
        "with `q`: one matching message per session; sessions without one matched by title, purpose or agent name",
      ),
  })
  .meta({ id: "SessionList" });
export type SessionList = z.infer<typeof sessionListSchema>;

export const agentSessionEndSchema = z
  .object({
    provider: z.string(),
    outcome: z
      .enum(["deleted", "not_offered", "failed"])
      .describe("not_offered: the agent cannot delete its sessions"),
    message: z.string().nullable().describe("why it failed"),
  })
  .meta({ id: "AgentSessionEnd" });
export type AgentSessionEnd = z.infer<typeof agentSessionEndSchema>;

export const deleteSessionReplySchema = sessionSchema
  .extend({
    agentSessions: z
      .array(agentSessionEndSchema)
      .optional()
      .describe("what became of the sessions that its agents kept, if they were to be deleted"),
    worktreeEnd: worktreeEndSchema
      .optional()
      .describe("what became of its worktree, if it had one"),
  })
  .meta({ id: "DeleteSessionReply" });
export type DeleteSessionReply = z.infer<typeof deleteSessionReplySchema>;
