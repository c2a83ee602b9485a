import { sessionParamsSchema, type Problem } from "@holdfast/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hash, timingSafeEqual } from "node:crypto";
import { includes, type Scope } from "../../domain/scope.ts";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { Browsers } from "../../runtime/tokens/browsers.ts";
import { isFromSocket } from "../server/local-socket.ts";
import { toProblem } from "../problems/problem-status.ts";
import { MCP_URL } from "../doors/mcp-metadata.ts";
import { browserSecretsOf } from "./browser-cookie.ts";
import type { Caller } from "./caller.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import type { OpenRequests } from "./open-requests.ts";
import { scopeOf } from "./route-scope.ts";

export interface TokenCheck {
  /** The server's own token, which has all rights. Null: no request needs a token. */
  readonly token: string | null;
  readonly tokens: Pick<AccessTokens, "find">;
  readonly browsers: Pick<Browsers, "find">;
  readonly attempts: FailedAttempts;
  readonly open: OpenRequests;
}

/** The problem with the token of the request, or null. Notes the caller in the request. */
export async function aboutToken(
  { token, tokens, browsers, attempts, open }: TokenCheck,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Problem | null> {
  const secret = bearerOf(request);
  if (secret !== undefined) {
    if (token !== null && isSameSecret(secret, token))
      return accept(request, { kind: "server token" });
    const accessToken = await tokens.find(secret);
    if (accessToken !== null) {
      open.add(accessToken.id, reply.raw);
      accept(request, { kind: "token", ...accessToken });
      return (
        aboutScope(accessToken.scope, neededFor(request)) ??
        aboutSession(accessToken.sessionId, request)
      );
    }
  }
  const browserSecrets = secret === undefined ? browserSecretsOf(request) : null;
  const browser = browserSecrets === null ? null : await browsers.find(browserSecrets);
  if (browser !== null) {
    open.add(browser.id, reply.raw);
    const { id, tokenName, scope, expiresAt } = browser;
    accept(request, { kind: "browser", id, tokenName, scope, expiresAt });
    return aboutForgery(request) ?? aboutScope(scope, neededFor(request));
  }
  if (secret === undefined && isFromSocket(request.raw)) return accept(request, { kind: "socket" });
  if (token === null) return accept(request, { kind: "anyone" });
  if (secret !== undefined) return wrongToken(attempts, request);
  return toProblem(
    "unauthorized",
    "This server requires a token. Send it as Authorization: Bearer TOKEN, or sign in with: holdfast open",
  );
}

/** A browser sends its cookie with requests of every page. It must say that a write comes from ours. */
function aboutForgery({ method, headers }: FastifyRequest): Problem | null {
  if (method === "GET" || method === "HEAD") return null;
  // The guard has refused the origins of other sites.
  if (headers.origin !== undefined || headers["sec-fetch-site"] === "same-origin") return null;
  return toProblem("origin_not_allowed", "A browser must send the Origin of its page.");
}

function accept(request: FastifyRequest, caller: Caller): null {
  request.caller = caller;
  return null;
}

/** The problem of a request with a wrong token. */
export function wrongToken(
  attempts: FailedAttempts,
  { ip }: Pick<FastifyRequest, "ip">,
  detail = "The token is unknown, expired or revoked.",
): Problem {
  // Requests on the Unix socket have no address.
  if (!attempts.add(String(ip))) return toProblem("unauthorized", detail);
  return toProblem(
    "too_many_attempts",
    "Too many wrong tokens from this address. Wait a minute, or send a valid token.",
  );
}

export function bearerOf({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  return /^Bearer (.+)$/iu.exec(headers.authorization ?? "")?.[1];
}

function aboutScope(scope: Scope, needed: Scope): Problem | null {
  if (includes(scope, needed)) return null;
  return toProblem(
    "forbidden",
    `This request needs a token with the scope ${needed}. The scope of this token is ${scope}.`,
  );
}

const SESSION_ROUTE = "/api/sessions/:id";

/** A token for one session can use only the routes of that session, and learn what it may do. A fork is another session. */
function aboutSession(
  sessionId: string | null,
  { params, routeOptions: { url = "" } }: FastifyRequest,
): Problem | null {
  // What a program does at `/mcp` needs the same rights at the routes of the session.
  if (sessionId === null || url === "/api/token" || url === MCP_URL) return null;
  const { id } = sessionParamsSchema.partial().safeParse(params).data ?? {};
  const isRoute =
    url === SESSION_ROUTE ||
    (url.startsWith(`${SESSION_ROUTE}/`) && url !== `${SESSION_ROUTE}/fork`);
  if (isRoute && id === sessionId) return null;
  return toProblem("forbidden", `This token is only for the session ${sessionId}.`);
}

/** The scope that a request needs. A path without a route reveals nothing. */
function neededFor({ method, routeOptions: { url } }: FastifyRequest): Scope {
  return url === undefined ? "read" : (scopeOf({ method, url }) ?? "admin");
}

export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Digests have equal lengths, so that a comparison reveals nothing about the token's length. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
