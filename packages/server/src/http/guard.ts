import { sessionParamsSchema, type Problem } from "@holdfast/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash, timingSafeEqual } from "node:crypto";
import type { AgentTokens } from "./agent-token.ts";
import { toProblem } from "./problem-status.ts";
import { sendProblem } from "./send-problem.ts";
import { isPageAddress } from "./web-page.ts";

export interface GuardOptions {
  /** Without one, only names of this machine are answered: a foreign page cannot reach in through DNS. */
  readonly token: string | null;
  readonly agentTokens?: AgentTokens;
}

/** Asked before any route, for every route: the page's files and the streams too. */
export function guard({ token, agentTokens }: GuardOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
    const problem =
      aboutHost(request, token) ??
      aboutSite(request) ??
      (isForAgents(request) ? aboutAgentToken(request, agentTokens) : aboutToken(request, token)) ??
      aboutBody(request);
    if (problem === null) return;
    if (problem.code === "unauthorized") reply.header("www-authenticate", "Bearer");
    return sendProblem(reply, problem);
  };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

function aboutHost({ headers }: FastifyRequest, token: string | null): Problem | null {
  if (token !== null || LOOPBACK.test(hostName(headers.host))) return null;
  return toProblem(
    "host_not_allowed",
    "Without a token this server answers only to names of its own machine.",
  );
}

function hostName(host: string | undefined): string {
  return (host ?? "").toLowerCase().replace(/:\d+$/u, "");
}

/** Browsers say which page a request comes from. Only our own may use the API; others may link to our pages. */
function aboutSite(request: FastifyRequest): Problem | null {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  const isForeign =
    (origin !== undefined && !isSameHost(origin, host)) ||
    site === "cross-site" ||
    site === "same-site";
  if (!isForeign || (origin === undefined && isPageVisit(request))) return null;
  return toProblem("origin_not_allowed", "Pages of other sites may not use this server.");
}

function isSameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === (host ?? "").toLowerCase();
}

function isPageVisit(request: FastifyRequest): boolean {
  const { method, headers } = request;
  return (
    (method === "GET" || method === "HEAD") &&
    isPublic(request) &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document"
  );
}

function aboutToken(request: FastifyRequest, token: string | null): Problem | null {
  if (token === null || isPublic(request)) return null;
  if (isRightToken(request.headers.authorization, token)) return null;
  return toProblem(
    "unauthorized",
    "This server needs a token: send it as Authorization: Bearer TOKEN.",
  );
}

/** Tools of agents have a token of their own, good for one session and for nothing else. */
function aboutAgentToken(
  { params, headers }: FastifyRequest,
  agentTokens: AgentTokens | undefined,
): Problem | null {
  const { id: sessionId } = sessionParamsSchema.partial().safeParse(params).data ?? {};
  const given = bearerOf(headers.authorization);
  if (
    sessionId !== undefined &&
    given !== undefined &&
    agentTokens?.isFor(sessionId, given) === true
  )
    return null;
  return toProblem("unauthorized", "Only the tools of this session's agent may use this.");
}

function isForAgents(request: FastifyRequest): boolean {
  return request.routeOptions.config.isForAgents === true;
}

function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.isPublic === true || isPageAddress(request);
}

function isRightToken(authorization: string | undefined, token: string): boolean {
  const given = bearerOf(authorization);
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/iu.exec(authorization ?? "")?.[1];
}

/** Equal lengths, so that a comparison tells nothing about the token's. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A form of another site can send text and form data without asking, but not these types. */
function aboutBody(request: FastifyRequest): Problem | null {
  if (!hasBody(request)) return null;
  const wanted = request.routeOptions.config.bodyTypes ?? ["application/json"];
  const given =
    (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (wanted.includes(given)) return null;
  return toProblem(
    "unsupported_media_type",
    `The body must be sent as Content-Type: ${wanted.join(" or ")}, not as ${given === "" ? "nothing" : given}.`,
  );
}

function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === "GET" || method === "HEAD") return false;
  if (headers["transfer-encoding"] !== undefined) return true;
  return headers["content-length"] !== undefined && Number(headers["content-length"]) !== 0;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Served without a token: pages and their files, which hold no data. */
    isPublic?: boolean;
    /** Served to whoever has the token of the session's agent, and to nobody else. */
    isForAgents?: boolean;
    /** What a body must be where it is not JSON. */
    bodyTypes?: readonly string[];
  }
}
