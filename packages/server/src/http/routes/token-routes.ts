import {
  createdTokenSchema,
  createTokenRequestSchema,
  ownTokenSchema,
  tokenParamsSchema,
  tokenSchema,
  tokensReplySchema,
} from "@holdfast/protocol";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { App } from "../app.ts";
import { rightsOf } from "../guard/caller.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { fromWireCreateToken } from "../wire/from-wire.ts";
import { sendReply } from "../wire/send-reply.ts";
import { toTimeOrNull } from "../wire/to-time.ts";
import { toWireToken } from "../wire/to-wire.ts";

const TAGS = ["tokens"];

export function addTokenRoutes(app: App, tokens: AccessTokens): void {
  app.route({
    method: "GET",
    url: "/api/token",
    schema: {
      operationId: "getOwnToken",
      summary: "Get the rights of the caller",
      description:
        "The server's own token and the Unix socket have the scope `admin`, and so has everybody if authentication is turned off.",
      tags: TAGS,
      response: { 200: () => ownTokenSchema, ...readProblems() },
    },
    handler: async ({ caller }) => {
      if (caller === null) throw new Error("unreachable: the guard names the caller");
      const { name, scope, sessionId, expiresAt } = rightsOf(caller);
      return { name, scope, sessionId, expiresAt: toTimeOrNull(expiresAt) };
    },
  });

  app.route({
    method: "GET",
    url: "/api/tokens",
    schema: {
      operationId: "listTokens",
      summary: "List API tokens",
      description: "The server's own token is not listed.",
      tags: TAGS,
      response: { 200: () => tokensReplySchema, ...readProblems() },
    },
    handler: async () => ({ tokens: (await tokens.list()).map(toWireToken) }),
  });

  app.route({
    method: "POST",
    url: "/api/tokens",
    schema: {
      operationId: "createToken",
      summary: "Create a token",
      description: "The token is shown only in this reply.",
      tags: TAGS,
      body: () => createTokenRequestSchema,
      response: { 201: () => createdTokenSchema, ...writeProblems("tokens_full") },
    },
    handler: async ({ body }, reply) => {
      const created = await tokens.create(fromWireCreateToken(body));
      return sendReply(
        reply,
        created,
        ({ token, secret }) => ({ ...toWireToken(token), token: secret }),
        201,
      );
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/tokens/:id",
    schema: {
      operationId: "revokeToken",
      summary: "Revoke a token",
      description:
        "Takes effect on all nodes within seconds. Closes event streams opened with the token, and signs out browsers that signed in with it.",
      tags: TAGS,
      params: () => tokenParamsSchema,
      response: { 200: () => tokenSchema, ...writeProblems("token_not_found") },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await tokens.revoke(params.id), ({ token }) => toWireToken(token)),
  });
}
