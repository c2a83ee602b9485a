import {
  browserParamsSchema,
  browsersReplySchema,
  signedInSchema,
  signedOutSchema,
  signInCodeSchema,
  signInRequestSchema,
  type Problem,
} from "@holdfast/protocol";
import type { FastifyRequest } from "fastify";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { Browser, Browsers, SignIn } from "../../runtime/tokens/browsers.ts";
import type { App } from "../app.ts";
import { isSameSecret, wrongToken } from "../guard/about-token.ts";
import { browserCookie, browserSecretsOf, noCookie } from "../guard/browser-cookie.ts";
import type { FailedAttempts } from "../guard/failed-attempts.ts";
import type { SignInCodes } from "../guard/sign-in-codes.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { toProblem } from "../problems/problem-status.ts";
import { sendProblem } from "../problems/send-problem.ts";
import { toTime } from "../wire/to-time.ts";

export interface SignInServices {
  readonly token: string | null;
  readonly tokens: Pick<AccessTokens, "find">;
  readonly browsers: Browsers;
  readonly codes: SignInCodes;
  readonly attempts: FailedAttempts;
}

const TAGS = ["browsers"];
const GET_A_NEW_ONE = "Get a new address with: holdfast open";
const REFUSED_CODES = {
  used: `This sign-in address has been used already. ${GET_A_NEW_ONE}`,
  expired: `This sign-in address is too old. ${GET_A_NEW_ONE}`,
  unknown: `This sign-in address is not valid, or it was made before the server started. ${GET_A_NEW_ONE}`,
} as const;

export function addSignInRoutes(app: App, services: SignInServices): void {
  const { browsers, codes } = services;

  app.route({
    method: "POST",
    url: "/api/sign-in",
    config: { isPublic: true },
    schema: {
      operationId: "signIn",
      summary: "Sign in a browser",
      description:
        "For the web page. Sets a cookie, and returns a key that the page sends with it. Programs send a token instead.",
      tags: TAGS,
      security: [],
      body: () => signInRequestSchema,
      response: {
        200: () => signedInSchema,
        ...writeProblems("unauthorized", "too_many_attempts"),
      },
    },
    handler: async (request, reply) => {
      const granted =
        "code" in request.body
          ? aboutCode(request.body.code, services, request)
          : await aboutTypedToken(request.body.token, services, request);
      if ("problem" in granted) return sendProblem(reply, granted.problem);
      // The browser gets new secrets; the old ones would stay valid unused.
      const secrets = browserSecretsOf(request);
      const before = secrets === null ? null : await browsers.find(secrets);
      if (before !== null) await browsers.signOut(before.id);
      const userAgent = request.headers["user-agent"] ?? "";
      const { cookie, key } = await browsers.signIn({ ...granted, userAgent });
      return reply.header("set-cookie", browserCookie(request, cookie)).code(200).send({ key });
    },
  });

  app.route({
    method: "POST",
    url: "/api/sign-out",
    schema: {
      operationId: "signOut",
      summary: "Sign out this browser",
      tags: TAGS,
      response: { 200: () => signedOutSchema, ...writeProblems() },
    },
    handler: async (request, reply) => {
      const { caller } = request;
      const signedOut = caller?.kind === "browser" ? await browsers.signOut(caller.id) : 0;
      return reply.header("set-cookie", noCookie(request)).code(200).send({ signedOut });
    },
  });

  app.route({
    method: "POST",
    url: "/api/sign-in-codes",
    schema: {
      operationId: "createSignInCode",
      summary: "Create a one-time code for a browser",
      description:
        "The browser signs in at `/#code=CODE` of the node that made the code, within ten minutes.",
      tags: TAGS,
      response: { 201: () => signInCodeSchema, ...writeProblems() },
    },
    handler: async (_request, reply) => {
      const { code, expiresAt } = codes.create();
      return reply.code(201).send({ code, expiresAt: toTime(expiresAt) });
    },
  });

  app.route({
    method: "GET",
    url: "/api/browsers",
    schema: {
      operationId: "listBrowsers",
      summary: "List browsers that are signed in",
      tags: TAGS,
      response: { 200: () => browsersReplySchema, ...readProblems() },
    },
    handler: async ({ caller }) => ({
      browsers: (await browsers.list()).map((browser) => ({
        ...toWire(browser),
        self: caller?.kind === "browser" && caller.id === browser.id,
      })),
    }),
  });

  app.route({
    method: "DELETE",
    url: "/api/browsers",
    schema: {
      operationId: "signOutEverywhere",
      summary: "Sign out all browsers",
      tags: TAGS,
      response: { 200: () => signedOutSchema, ...writeProblems() },
    },
    handler: async () => ({ signedOut: await browsers.signOut(null) }),
  });

  app.route({
    method: "DELETE",
    url: "/api/browsers/:id",
    schema: {
      operationId: "signOutBrowser",
      summary: "Sign out a browser",
      description: "Takes effect on all nodes within seconds.",
      tags: TAGS,
      params: () => browserParamsSchema,
      response: { 200: () => signedOutSchema, ...writeProblems() },
    },
    handler: async ({ params }) => ({ signedOut: await browsers.signOut(params.id) }),
  });
}

type Granted = Pick<SignIn, "scope" | "token"> | { readonly problem: Problem };

function aboutCode(
  code: string,
  { codes, attempts }: SignInServices,
  request: FastifyRequest,
): Granted {
  const result = codes.redeem(code);
  if (result === "good") return { scope: "admin", token: null };
  return { problem: wrongToken(attempts, request, REFUSED_CODES[result]) };
}

async function aboutTypedToken(
  secret: string,
  { token, tokens, attempts }: SignInServices,
  request: FastifyRequest,
): Promise<Granted> {
  if (token !== null && isSameSecret(secret, token)) return { scope: "admin", token: null };
  const found = await tokens.find(secret);
  if (found !== null && found.sessionId === null) return { scope: found.scope, token: found };
  if (found !== null)
    return { problem: toProblem("forbidden", "This token only shows one session: use its link.") };
  return { problem: wrongToken(attempts, request) };
}

function toWire({ id, scope, tokenName, userAgent, createdAt, lastUsedAt, expiresAt }: Browser) {
  return {
    id,
    scope,
    tokenName,
    userAgent,
    createdAt: toTime(createdAt),
    lastUsedAt: toTime(lastUsedAt),
    expiresAt: toTime(expiresAt),
  };
}
