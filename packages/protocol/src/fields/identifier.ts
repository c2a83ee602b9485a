import { z } from "zod";
import { ID_PATTERN } from "../vocabulary.ts";

/** New IDs are UUIDs (version 7). Imported sessions keep their old IDs, so any printable word is accepted. */
export const idSchema = z
  .string()
  .regex(ID_PATTERN, "must be an ID: 1 to 200 printable characters without spaces")
  .meta({ examples: ["019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11"] });

/** A client's own ID for a session. It must not look like a UUID, so that no ID can mean two sessions. */
export const agentIdSchema = z
  .string()
  .regex(
    /^(?![0-9a-f]{8}-[0-9a-f]{4}-)[A-Za-z0-9][\w.:-]{0,127}$/iu,
    "must be 1 to 128 letters, digits, dots, colons, hyphens or underscores, and not a UUID",
  )
  .meta({ examples: ["agent-20260108-180530-abc12345"] });

export const sessionParamsSchema = z.object({ id: idSchema });
export const queuedMessageParamsSchema = z.object({ id: idSchema, messageId: idSchema });
export const runParamsSchema = z.object({ id: idSchema, runId: idSchema });
export const grantParamsSchema = z.object({ id: idSchema, grantId: idSchema });
export const repositoryParamsSchema = z.object({ id: idSchema });

/** A client's key for a request. A repeated request with the same key gets the same reply. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[ -~]{1,255}$/u, "must be 1 to 255 printable characters");
