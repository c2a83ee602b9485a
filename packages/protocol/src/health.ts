import { z } from "zod";
import { countSchema } from "./fields/number.ts";

export const healthSchema = z
  .object({ status: z.literal("ok"), version: z.string() })
  .meta({ id: "Health", description: "The process is alive." });
export type Health = z.infer<typeof healthSchema>;

export const sessionCountsSchema = z
  .object({
    active: countSchema,
    suspended: countSchema,
    archived: countSchema,
    error: countSchema,
    badge: countSchema.describe("active plus suspended, for a badge"),
  })
  .meta({ id: "SessionCounts" });
export type SessionCounts = z.infer<typeof sessionCountsSchema>;

export const SANDBOX_MODES = ["auto", "required", "off"] as const;
export const sandboxStateSchema = z
  .object({
    mode: z.enum(SANDBOX_MODES).describe("the configured mode"),
    active: z.boolean().describe("whether agents run in the sandbox"),
    reason: z.string().nullable().describe("why the sandbox is not active, as a sentence"),
  })
  .meta({ id: "SandboxState" });
export type SandboxState = z.infer<typeof sandboxStateSchema>;

export const agentHostSchema = z
  .object({
    mode: z
      .enum(["outside", "inside"])
      .describe("`outside`: agents outlive the server; `inside`: they end with it"),
    pid: z.int().nullable().describe("the process that keeps agents alive; null if none runs"),
    agents: countSchema.describe("number of agents in it"),
  })
  .meta({ id: "AgentHost" });
export type AgentHostState = z.infer<typeof agentHostSchema>;

/** The limits of this server. Some are configurable, some are part of the API. */
export const serverLimitsSchema = z
  .object({
    liveAgents: countSchema.describe("maximum number of live agents"),
    streams: countSchema.describe("maximum number of open event streams"),
    queue: countSchema.describe("maximum number of queued messages per session"),
    retries: countSchema.describe("how many times a run is retried after a temporary failure"),
    idleMs: countSchema.describe("an idle agent is stopped after this time"),
    silentMs: countSchema.describe("a run is ended when its agent has been silent for this time"),
    permissionMs: countSchema
      .nullable()
      .describe("a permission request expires after this time and counts as rejected; null: never"),
    messageBytes: countSchema,
    messageParts: countSchema,
    metadataBytes: countSchema,
    bodyBytes: countSchema.describe("maximum size of a request body, except a bundle"),
    bundleBytes: countSchema,
  })
  .meta({ id: "ServerLimits" });
export type ServerLimits = z.infer<typeof serverLimitsSchema>;

export const readinessSchema = z
  .object({
    status: z.enum(["ready", "unready"]),
    reason: z.string().nullable().describe("why the server is not ready, as a sentence"),
    version: z.string(),
    platform: z.string().describe("Node version and operating system"),
    startedAt: z.iso.datetime(),
    database: z.object({
      engine: z.enum(["sqlite", "postgres"]),
      schema: z.string().nullable().describe("name of the newest migration"),
    }),
    sessions: sessionCountsSchema.nullable(),
    setAside: countSchema.nullable().describe("number of unreadable rows, which are quarantined"),
    damage: z
      .array(z.string())
      .default([])
      .describe("damaged places of the database file that the last daily check found"),
    limits: serverLimitsSchema,
    auth: z
      .enum(["token", "none"])
      .describe("`none`: every program on the server's machine may use it"),
    sandbox: sandboxStateSchema,
    agentHost: agentHostSchema.default({ mode: "inside", pid: null, agents: 0 }),
  })
  .meta({ id: "Readiness", description: "Whether the server can handle requests." });
export const databaseCheckSchema = z
  .object({ damage: z.array(z.string()).describe("damaged places; empty if none were found") })
  .meta({ id: "DatabaseCheck" });
export type DatabaseCheck = z.infer<typeof databaseCheckSchema>;
export type Readiness = z.infer<typeof readinessSchema>;
