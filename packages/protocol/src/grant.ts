import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

/** What a person has said once for the rest of a session, by an answer of the kind `…_always`. */
export const grantSchema = z
  .object({
    id: idSchema,
    decision: z.enum(["allow", "deny"]),
    scope: z.literal("session"),
    title: z.string().describe("what was asked"),
    kind: z.string().nullable(),
    paths: z.array(z.string()).describe("the same kind of work on the same files is covered"),
    command: z.string().nullable().describe("the same command is covered"),
    by: z.string().nullable(),
    at: timeSchema,
  })
  .meta({ id: "Grant" });
export type Grant = z.infer<typeof grantSchema>;

export const grantsReplySchema = z
  .object({ grants: z.array(grantSchema).describe("oldest first") })
  .meta({ id: "Grants" });
export type GrantsReply = z.infer<typeof grantsReplySchema>;
