import { z } from "zod";
import { countSchema, limitSchema } from "./fields/number.ts";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

export const removedSessionSchema = z
  .object({
    id: idSchema,
    title: z.string().nullable(),
    agentName: z.string().nullable(),
    repoPath: z.string().nullable().describe("folder of the session's repository, if it had one"),
    removedAt: timeSchema,
    keptUntil: timeSchema.describe("the session can be restored until this time"),
    bytes: countSchema.describe("size of the bundle"),
  })
  .meta({ id: "RemovedSession" });
export type RemovedSession = z.infer<typeof removedSessionSchema>;

export const REMOVED_LIMIT = { default: 100, max: 1_000 } as const;

export const removedQuerySchema = z.object({
  limit: limitSchema(REMOVED_LIMIT.max, REMOVED_LIMIT.default),
});
export type RemovedQuery = z.infer<typeof removedQuerySchema>;

export const removedReplySchema = z
  .object({
    removed: z.array(removedSessionSchema).describe("newest first"),
    total: countSchema,
  })
  .meta({ id: "RemovedReply" });
export type RemovedReply = z.infer<typeof removedReplySchema>;
