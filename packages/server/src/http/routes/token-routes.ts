import {
  createdTokenSchema,
  createTokenRequestSchema,
  tokenParamsSchema,
  tokenSchema,
  tokensReplySchema,
} from "@holdfast/protocol";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { App } from "../app.ts";
import { fromWireCreateToken } from "../wire/from-wire.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireToken } from "../wire/to-wire.ts";

const TAGS = ["tokens"];

export function addTokenRoutes(app: App, tokens: AccessTokens): void {
  app.route({
    method: "GET",
    url: "/api/tokens",
    schema: {
      operationId: "listTokens",
      summary: "Who may use the API",
      description: "The one the server was started with is none of them.",
      tags: TAGS,
      response: { 200: tokensReplySchema, ...readProblems() },
    },
    handler: async () => ({ tokens: (await tokens.list()).map(toWireToken) }),
  });

  app.route({
    method: "POST",
    url: "/api/tokens",
    schema: {
      operationId: "createToken",
      summary: "Make a token, which is shown once",
      description:
        "From the first one on, every request needs a token; so the first must have the scope admin, unless the server was started with a token.",
      tags: TAGS,
      body: createTokenRequestSchema,
      response: { 201: createdTokenSchema, ...writeProblems("tokens_full", "admin_token_first") },
    },
    handler: async ({ body }, reply) => {
      const created = await tokens.create(fromWireCreateToken(body));
      if (!created.ok) return sendRefusal(reply, created);
      return reply.code(201).send({ ...toWireToken(created.token), token: created.secret });
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/tokens/:id",
    schema: {
      operationId: "revokeToken",
      summary: "Revoke a token, on all nodes within seconds",
      description:
        "Event streams that were opened with it are cut off. The last admin token cannot be revoked while others are in use, unless the server was started with a token.",
      tags: TAGS,
      params: tokenParamsSchema,
      response: { 200: tokenSchema, ...writeProblems("token_not_found", "last_admin_token") },
    },
    handler: async ({ params }, reply) => {
      const revoked = await tokens.revoke(params.id);
      if (!revoked.ok) return sendRefusal(reply, revoked);
      return reply.code(200).send(toWireToken(revoked.token));
    },
  });
}
