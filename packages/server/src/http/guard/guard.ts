import { sessionParamsSchema, type Problem } from "@holdfast/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { Browsers } from "../../runtime/tokens/browsers.ts";
import type { AppServices } from "../app.ts";
import type { AgentTokens } from "./agent-token.ts";
import { toProblem } from "../problems/problem-status.ts";
import { sendProblem } from "../problems/send-problem.ts";
import { aboutToken, bearerOf, wrongToken, type TokenCheck } from "./about-token.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import { openRequests } from "./open-requests.ts";
import { isServedOrigin, originOf } from "./served-origin.ts";
import { scopeOf } from "./route-scope.ts";
import { MCP_URL, mcpChallenge } from "../doors/mcp-metadata.ts";
import { isFromSocket } from "../server/local-socket.ts";
import { isPageAddress } from "../server/web-page.ts";

type GuardOptions = Pick<AppServices, "token" | "agentTokens"> & {
  readonly tokens?: Pick<AccessTokens, "find" | "isGood">;
  readonly browsers?: Pick<Browsers, "find" | "isGood">;
  readonly attempts: FailedAttempts;
};

const NOBODY: NonNullable<GuardOptions["tokens"] & GuardOptions["browsers"]> = {
  find: async () => null,
  isGood: async () => false,
};

/** Checks each request before its route, also those for the page's files and for streams. */
export function addGuard(
  app: FastifyInstance,
  { token, tokens = NOBODY, browsers = NOBODY, agentTokens, attempts }: GuardOptions,
): void {
  const open = openRequests({
    isGood: async (id) => (await tokens.isGood(id)) || browsers.isGood(id),
  });
  const check: TokenCheck = { token, tokens, browsers, attempts, open };
  app.addHook("onClose", async () => open.stop());
  app.decorateRequest("caller", null);
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (config?.isForAgents !== true && scopeOf({ method: each, url }) === null)
        throw new Error(`No scope is set for ${each} ${url}`);
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    const problem =
      aboutHost(request, check) ??
      aboutSite(request) ??
      (isForAgents(request)
        ? aboutAgentToken(request, agentTokens, attempts)
        : isPublic(request)
          ? null
          : await aboutToken(check, request, reply)) ??
      aboutBody(request);
    if (problem === null) return;
    if (problem.code === "unauthorized") reply.header("www-authenticate", challengeTo(request));
    return sendProblem(reply, problem);
  });
}

/** Clients of MCP expect to be told where they learn more. */
function challengeTo(request: FastifyRequest): string {
  return request.routeOptions.url === MCP_URL ? mcpChallenge(originOf(request)) : "Bearer";
}

/** Without a token, only names of this machine are accepted: a foreign page cannot use a DNS name to get in. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

function aboutHost(request: FastifyRequest, { token }: TokenCheck): Problem | null {
  const { headers } = request;
  // Node keeps only the first. A proxy may have looked at the other.
  const hosts = request.raw.rawHeaders.filter(isHostName).length;
  if (hosts > 1) return toProblem("invalid_request", "A request must have only one Host header.");
  if (hosts === 0 && request.raw.httpVersion !== "1.0")
    return toProblem("invalid_request", "A request must have a Host header.");
  const needsToken = token !== null && !isFromSocket(request.raw);
  if (needsToken || LOOPBACK.test(hostName(headers.host))) return null;
  return toProblem(
    "host_not_allowed",
    "Without a token, this server answers only requests to localhost.",
  );
}

/** Names are at even positions, values at odd ones. */
function isHostName(text: string, position: number): boolean {
  return position % 2 === 0 && text.toLowerCase() === "host";
}

function hostName(host: string | undefined): string {
  return (host ?? "").toLowerCase().replace(/:\d+$/u, "");
}

/** Browsers name the site of a request. Only our own pages may use the API; other sites may link to our pages. */
function aboutSite(request: FastifyRequest): Problem | null {
  const { origin, "sec-fetch-site": site } = request.headers;
  const isForeign =
    (origin !== undefined && !isServedOrigin(origin, request)) ||
    site === "cross-site" ||
    site === "same-site";
  if (!isForeign || (origin === undefined && isPageVisit(request))) return null;
  return toProblem("origin_not_allowed", "Pages of other sites must not use this server.");
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

/** The tools of agents have tokens that are valid for one session. */
function aboutAgentToken(
  request: FastifyRequest,
  agentTokens: AgentTokens | undefined,
  attempts: FailedAttempts,
): Problem | null {
  const { id: sessionId } = sessionParamsSchema.partial().safeParse(request.params).data ?? {};
  const secret = bearerOf(request);
  const detail = "Only the tools of this session's agent may use this route.";
  if (secret === undefined) return toProblem("unauthorized", detail);
  if (sessionId !== undefined && agentTokens?.isFor(sessionId, secret) === true) return null;
  return wrongToken(attempts, request, detail);
}

function isForAgents(request: FastifyRequest): boolean {
  return request.routeOptions.config.isForAgents === true;
}

function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.isPublic === true || isPageAddress(request);
}

/** A form of another site can send text and form data without a preflight request, but not these types. */
function aboutBody(request: FastifyRequest): Problem | null {
  if (!hasBody(request)) return null;
  const types = request.routeOptions.config.bodyTypes ?? ["application/json"];
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (types.includes(type)) return null;
  return toProblem(
    "unsupported_media_type",
    `The body must have Content-Type ${types.join(" or ")}, not ${type === "" ? "none" : type}.`,
  );
}

function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === "GET" || method === "HEAD") return false;
  if (headers["transfer-encoding"] !== undefined) return true;
  return headers["content-length"] !== undefined && Number(headers["content-length"]) !== 0;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Needs no token: pages and their files, which contain no data. */
    isPublic?: boolean;
    /** Needs the token of the session's agent. */
    isForAgents?: boolean;
    /** The media types of a body that is not JSON. */
    bodyTypes?: readonly string[];
  }
}
