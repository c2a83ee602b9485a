import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { LIMITS } from "./fields/limits.ts";
import { timeSchema } from "./fields/time.ts";

/** What a token is good for, each also for what is before it. */
export const TOKEN_SCOPES = ["read", "send", "admin"] as const;
export const tokenScopeSchema = z.enum(TOKEN_SCOPES).meta({ id: "TokenScope" });
export type TokenScope = z.infer<typeof tokenScopeSchema>;

export const tokenSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    scope: tokenScopeSchema,
    createdAt: timeSchema,
    lastUsedAt: timeSchema.nullable().describe("to about ten minutes; null when it never was"),
    expiresAt: timeSchema.nullable(),
    revokedAt: timeSchema.nullable(),
  })
  .meta({ id: "Token", description: "Lets its bearer use the API. The token itself is not kept." });
export type Token = z.infer<typeof tokenSchema>;

export const tokensReplySchema = z
  .object({ tokens: z.array(tokenSchema).describe("first made first; revoked ones for 90 days") })
  .meta({ id: "Tokens" });
export type TokensReply = z.infer<typeof tokensReplySchema>;

export const createdTokenSchema = tokenSchema
  .extend({ token: z.string().describe("to be sent as a bearer token; it is shown only here") })
  .meta({ id: "CreatedToken" });
export type CreatedToken = z.infer<typeof createdTokenSchema>;

export const tokenParamsSchema = z.object({ id: idSchema });

/** Ten years. */
const MAX_DAYS = 3_650;

export const createTokenRequestSchema = z
  .strictObject({
    name: z.string().min(1).max(LIMITS.nameLength).describe("what it is for"),
    scope: tokenScopeSchema,
    expiresInDays: z.number().positive().max(MAX_DAYS).optional().describe("fractions count"),
  })
  .meta({ id: "CreateTokenRequest" });
export type CreateTokenRequest = z.infer<typeof createTokenRequestSchema>;
