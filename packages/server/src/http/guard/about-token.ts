import type { Problem } from "@holdfast/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash, timingSafeEqual } from "node:crypto";
import { includes, type Scope } from "../../domain/scope.ts";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import { toProblem } from "../problems/problem-status.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import type { OpenRequests } from "./open-requests.ts";
import { scopeOf } from "./route-scope.ts";

export interface TokenCheck {
  /** The server's own, which may do everything. */
  readonly token: string | null;
  /** Another that may do everything, for commands on the server's own data folder. It closes nothing to others. */
  readonly localToken: string | null;
  readonly tokens: Pick<AccessTokens, "areInUse" | "find">;
  readonly attempts: FailedAttempts;
  readonly open: OpenRequests;
}

/** Why the request may not be made with the token it has, if so. */
export async function aboutToken(
  { token, localToken, tokens, attempts, open }: TokenCheck,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Problem | null> {
  const given = bearerOf(request);
  if (given !== undefined) {
    if (token !== null && isSame(given, token)) return null;
    if (localToken !== null && isSame(given, localToken)) return null;
    const found = await tokens.find(given);
    if (found !== null) {
      open.add(found.id, reply.raw);
      request.tokenName = found.name;
      return aboutScope(found.scope, neededFor(request));
    }
  }
  if (token === null && !(await tokens.areInUse())) return null;
  if (given === undefined)
    return toProblem(
      "unauthorized",
      "This server needs a token: send it as Authorization: Bearer TOKEN.",
    );
  return wrongToken(attempts, request);
}

/** A token was given, and is not right. */
export function wrongToken(
  attempts: FailedAttempts,
  { ip }: Pick<FastifyRequest, "ip">,
  detail = "This token is not known here, or is no longer good.",
): Problem {
  if (!attempts.add(ip)) return toProblem("unauthorized", detail);
  return toProblem(
    "too_many_attempts",
    "Too many wrong tokens came from this address. Wait a minute, or send the right one.",
  );
}

export function bearerOf({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  return /^Bearer (.+)$/iu.exec(headers.authorization ?? "")?.[1];
}

function aboutScope(scope: Scope, needed: Scope): Problem | null {
  if (includes(scope, needed)) return null;
  return toProblem(
    "forbidden",
    `This needs a token with the scope ${needed}; this one has ${scope}.`,
  );
}

/** Where there is nothing, nothing is shown. */
function neededFor({ method, routeOptions: { url } }: FastifyRequest): Scope {
  return url === undefined ? "read" : (scopeOf({ method, url }) ?? "admin");
}

function isSame(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** Equal lengths, so that a comparison tells nothing about the token's. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

declare module "fastify" {
  interface FastifyRequest {
    /** Of the token that was made for whoever asks; null with the server's own, or none. */
    tokenName: string | null;
  }
}
