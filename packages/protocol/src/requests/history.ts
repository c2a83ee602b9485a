import { z } from "zod";
import { roleSchema } from "../message.ts";
import { LIMITS } from "../fields/limits.ts";
import { countInputSchema, limitSchema } from "../fields/number.ts";
import { timeSchema } from "../fields/time.ts";

export const historyQuerySchema = z.object({
  limit: limitSchema(LIMITS.historyEntries, 20),
  after: countInputSchema.optional().describe("only messages after this seq"),
  search: z.string().min(1).max(LIMITS.searchLength).optional(),
});
export type HistoryQuery = z.infer<typeof historyQuerySchema>;

export const historySchema = z
  .object({
    messages: z
      .array(
        z.object({
          seq: z.int(),
          role: roleSchema,
          timestamp: timeSchema,
          text: z.string(),
          cut: z.int().describe("number of characters cut off at the end"),
        }),
      )
      .describe("in order; the newest ones unless `after` is given"),
    leftOut: z
      .int()
      .describe("number of older messages, or with `after` of newer ones, that are not listed"),
  })
  .meta({ id: "History", description: "Messages as bounded text." });
export type History = z.infer<typeof historySchema>;
