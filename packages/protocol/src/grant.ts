import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

/** A permission that a person answered for the rest of the session, with an option of the kind `…_always`. */
export const grantSchema = z
  .object({
    id: idSchema,
    decision: z.enum(["allow", "deny"]),
    scope: z.literal("session"),
    title: z.string().describe("title of the permission request"),
    kind: z.string().nullable(),
    paths: z.array(z.string()).describe("covers the same kind of work on these files"),
    command: z.string().nullable().describe("covers this command"),
    by: z.string().nullable(),
    at: timeSchema,
  })
  .meta({ id: "Grant" });
export type Grant = z.infer<typeof grantSchema>;

export const grantsReplySchema = z
  .object({ grants: z.array(grantSchema).describe("oldest first") })
  .meta({ id: "Grants" });
export type GrantsReply = z.infer<typeof grantsReplySchema>;
