import { z } from "zod";

export const healthSchema = z
  .object({ status: z.literal("ok"), version: z.string() })
  .meta({ id: "Health", description: "The process is alive." });
export type Health = z.infer<typeof healthSchema>;

export const sessionCountsSchema = z
  .object({
    active: z.int().nonnegative(),
    suspended: z.int().nonnegative(),
    archived: z.int().nonnegative(),
    error: z.int().nonnegative(),
    badge: z.int().nonnegative().describe("active and suspended: what a badge shows"),
  })
  .meta({ id: "SessionCounts" });
export type SessionCounts = z.infer<typeof sessionCountsSchema>;

export const SANDBOX_MODES = ["auto", "required", "off"] as const;
export const sandboxStateSchema = z
  .object({
    mode: z.enum(SANDBOX_MODES).describe("as it is configured"),
    active: z.boolean().describe("whether agents are started in it"),
    reason: z.string().nullable().describe("why it is not active, in a sentence"),
  })
  .meta({ id: "SandboxState" });
export type SandboxState = z.infer<typeof sandboxStateSchema>;

const countSchema = z.int().nonnegative();

/** What this server allows; some of it is configured, some is part of the API. */
export const serverLimitsSchema = z
  .object({
    liveAgents: countSchema.describe("agents at once"),
    streams: countSchema.describe("event streams that are open at once"),
    queue: countSchema.describe("messages that wait in one session"),
    retries: countSchema.describe("further tries after a failure that passes"),
    idleMs: countSchema.describe("an agent with nothing to do is ended after this"),
    silentMs: countSchema.describe("a run whose agent says nothing for this long is ended"),
    permissionMs: countSchema
      .nullable()
      .describe("a permission counts as rejected after this; null waits for ever"),
    messageBytes: countSchema,
    messageParts: countSchema,
    metadataBytes: countSchema,
    bodyBytes: countSchema.describe("of any request but a bundle"),
    bundleBytes: countSchema,
  })
  .meta({ id: "ServerLimits" });
export type ServerLimits = z.infer<typeof serverLimitsSchema>;

export const readinessSchema = z
  .object({
    status: z.enum(["ready", "unready"]),
    reason: z.string().nullable().describe("why not, in a sentence"),
    version: z.string(),
    platform: z.string().describe("what it runs on: Node's version and the system"),
    startedAt: z.iso.datetime(),
    database: z.object({
      engine: z.enum(["sqlite", "postgres"]),
      schema: z.string().nullable().describe("the newest migration"),
    }),
    sessions: sessionCountsSchema.nullable(),
    setAside: z
      .int()
      .nonnegative()
      .nullable()
      .describe("rows that could not be read and were left out"),
    limits: serverLimitsSchema,
    sandbox: sandboxStateSchema,
  })
  .meta({ id: "Readiness", description: "Whether a request would be served now." });
export type Readiness = z.infer<typeof readinessSchema>;
