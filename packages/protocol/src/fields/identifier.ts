import { z } from "zod";

/**
 * New ids are UUIDs of version 7. Sessions taken over from elsewhere keep the ids they had, so any
 * printable word is looked up, and what is not there is not found.
 */
export const idSchema = z
  .string()
  .regex(/^[!-~]{1,200}$/u, "must be an id: 1 to 200 printable characters without spaces")
  .meta({ examples: ["019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11"] });

/** What an orchestrator may call a session; never like an id of ours, so that no name means two sessions. */
export const agentIdSchema = z
  .string()
  .regex(
    /^(?![0-9a-f]{8}-[0-9a-f]{4}-)[A-Za-z0-9][\w.:-]{0,127}$/iu,
    "must be 1 to 128 letters, digits, dots, colons, hyphens or underscores, and no UUID",
  )
  .meta({ examples: ["agent-20260108-180530-abc12345"] });

export const sessionParamsSchema = z.object({ id: idSchema });
export const queuedMessageParamsSchema = z.object({ id: idSchema, messageId: idSchema });
export const runParamsSchema = z.object({ id: idSchema, runId: idSchema });
export const grantParamsSchema = z.object({ id: idSchema, grantId: idSchema });
export const repositoryParamsSchema = z.object({ id: idSchema });

/** The client's own key for a request: sent again with the same key, it gets the same answer. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[ -~]{1,255}$/u, "must be 1 to 255 printable characters");
