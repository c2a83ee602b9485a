import { z } from "zod";
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
    bytes: z.int().nonnegative().describe("size of the bundle"),
  })
  .meta({ id: "RemovedSession" });
export type RemovedSession = z.infer<typeof removedSessionSchema>;

export const REMOVED_LIMIT = { default: 100, max: 1_000 } as const;

export const removedQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(REMOVED_LIMIT.max).default(REMOVED_LIMIT.default),
});
export type RemovedQuery = z.infer<typeof removedQuerySchema>;

export const removedReplySchema = z
  .object({
    removed: z.array(removedSessionSchema).describe("newest first"),
    total: z.int().nonnegative(),
  })
  .meta({ id: "RemovedReply" });
export type RemovedReply = z.infer<typeof removedReplySchema>;
