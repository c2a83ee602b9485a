import { z } from "zod";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";
import { tokenScopeSchema } from "./token.ts";
import { BROWSER_KEY_HEADER } from "./vocabulary.ts";

const secretSchema = z.string().min(1).max(1_000);

export const signInRequestSchema = z
  .union([z.strictObject({ code: secretSchema }), z.strictObject({ token: secretSchema })])
  .meta({ id: "SignInRequest", description: "A one-time code, or a token of the API." });
export type SignInRequest = z.infer<typeof signInRequestSchema>;

export const signedInSchema = z
  .object({
    key: z.string().describe(`sent by the page as ${BROWSER_KEY_HEADER}, besides the cookie`),
  })
  .meta({ id: "SignedIn" });
export type SignedIn = z.infer<typeof signedInSchema>;

export const signInCodeSchema = z
  .object({ code: z.string(), expiresAt: timeSchema })
  .meta({ id: "SignInCode", description: "Signs in one browser, once: `/#code=CODE`." });
export type SignInCode = z.infer<typeof signInCodeSchema>;

export const signedOutSchema = z
  .object({ signedOut: z.int().describe("number of browsers") })
  .meta({ id: "SignedOut" });
export type SignedOut = z.infer<typeof signedOutSchema>;

export const browserSchema = z
  .object({
    id: idSchema,
    scope: tokenScopeSchema,
    tokenName: z.string().nullable().describe("the API token it signed in with, if any"),
    userAgent: z.string(),
    createdAt: timeSchema,
    lastUsedAt: timeSchema.describe("accurate to about an hour"),
    expiresAt: timeSchema,
    self: z.boolean().describe("whether this browser sent the request"),
  })
  .meta({ id: "Browser", description: "A browser that is signed in." });
export type Browser = z.infer<typeof browserSchema>;

export const browsersReplySchema = z
  .object({ browsers: z.array(browserSchema).describe("oldest first") })
  .meta({ id: "Browsers" });
export type BrowsersReply = z.infer<typeof browsersReplySchema>;

export const browserParamsSchema = z.object({ id: idSchema });
