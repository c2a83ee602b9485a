import { z } from "zod";
import { nameSchema } from "./fields/body.ts";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

/** Scopes of a token. Each one includes those before it. */
export const TOKEN_SCOPES = ["read", "send", "approve", "admin"] as const;
export const tokenScopeSchema = z.enum(TOKEN_SCOPES).meta({ id: "TokenScope" });
export type TokenScope = z.infer<typeof tokenScopeSchema>;

export const tokenSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    scope: tokenScopeSchema,
    sessionId: idSchema.nullable().describe("the only session it can use; null: no such limit"),
    createdAt: timeSchema,
    lastUsedAt: timeSchema.nullable().describe("accurate to about ten minutes; null if never used"),
    expiresAt: timeSchema.nullable(),
    revokedAt: timeSchema.nullable(),
  })
  .meta({ id: "Token", description: "A token for the API. The server stores only its hash." });
export type Token = z.infer<typeof tokenSchema>;

export const tokensReplySchema = z
  .object({
    tokens: z.array(tokenSchema).describe("oldest first; revoked tokens are listed for 90 days"),
  })
  .meta({ id: "Tokens" });
export type TokensReply = z.infer<typeof tokensReplySchema>;

export const createdTokenSchema = tokenSchema
  .extend({ token: z.string().describe("the bearer token; it is shown only once") })
  .meta({ id: "CreatedToken" });
export type CreatedToken = z.infer<typeof createdTokenSchema>;

export const ownTokenSchema = z
  .object({
    name: z
      .string()
      .nullable()
      .describe("null: the caller has no API token, and has not signed in with one"),
    scope: tokenScopeSchema,
    sessionId: idSchema.nullable().describe("the only session it can use; null: no such limit"),
    expiresAt: timeSchema.nullable().describe("of the token, or of the sign-in of a browser"),
  })
  .meta({ id: "OwnToken", description: "The rights of the caller." });
export type OwnToken = z.infer<typeof ownTokenSchema>;

export const tokenParamsSchema = z.object({ id: idSchema });

/** Ten years. */
const MAX_DAYS = 3_650;

export const createTokenRequestSchema = z
  .strictObject({
    name: nameSchema.describe("purpose of the token"),
    scope: tokenScopeSchema,
    sessionId: idSchema
      .optional()
      .describe("limits it to the routes of this session; needs the scope read or send"),
    expiresInDays: z.number().positive().max(MAX_DAYS).optional().describe("fractions are allowed"),
  })
  .refine(
    ({ scope, sessionId }) => sessionId === undefined || scope === "read" || scope === "send",
    {
      path: ["scope"],
      message: "must be read or send if the token is for one session",
    },
  )
  .meta({ id: "CreateTokenRequest" });
export type CreateTokenRequest = z.infer<typeof createTokenRequestSchema>;
