import { sessionParamsSchema, type Problem } from "@holdfast/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { AgentTokens } from "./agent-token.ts";
import { toProblem } from "../problems/problem-status.ts";
import { sendProblem } from "../problems/send-problem.ts";
import { aboutToken, bearerOf, wrongToken, type TokenCheck } from "./about-token.ts";
import { countFailedAttempts } from "./failed-attempts.ts";
import { openRequests } from "./open-requests.ts";
import { scopeOf } from "./route-scope.ts";
import { isPageAddress } from "../server/web-page.ts";

export interface GuardOptions {
  /** Without one, only names of this machine are answered: a foreign page cannot reach in through DNS. */
  readonly token: string | null;
  /** For commands on the server's own data folder: may do everything, and closes nothing to others. */
  readonly localToken?: string | null;
  /** Those that were made and can be revoked; while there are any, one is needed. */
  readonly tokens?: Pick<AccessTokens, "areInUse" | "find" | "isGood">;
  readonly agentTokens?: AgentTokens;
  readonly clock?: () => number;
}

const NO_TOKENS: NonNullable<GuardOptions["tokens"]> = {
  areInUse: async () => false,
  find: async () => null,
  isGood: async () => false,
};

/** Asked before any route, for every route: the page's files and the streams too. */
export function addGuard(
  app: FastifyInstance,
  { token, localToken = null, tokens = NO_TOKENS, agentTokens, clock = Date.now }: GuardOptions,
): void {
  const attempts = countFailedAttempts({ clock });
  const open = openRequests(tokens);
  const check: TokenCheck = { token, localToken, tokens, attempts, open };
  app.addHook("onClose", async () => open.stop());
  app.decorateRequest("tokenName", null);
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (config?.isForAgents !== true && scopeOf({ method: each, url }) === null)
        throw new Error(`No scope is set for ${each} ${url}`);
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    const problem =
      (await aboutHost(request, check)) ??
      aboutSite(request) ??
      (isForAgents(request)
        ? aboutAgentToken(request, { agentTokens, attempts })
        : isPublic(request)
          ? null
          : await aboutToken(check, request, reply)) ??
      aboutBody(request);
    if (problem === null) return;
    if (problem.code === "unauthorized") reply.header("www-authenticate", "Bearer");
    return sendProblem(reply, problem);
  });
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

async function aboutHost(
  { headers }: FastifyRequest,
  { token, tokens }: TokenCheck,
): Promise<Problem | null> {
  if (token !== null || LOOPBACK.test(hostName(headers.host))) return null;
  if (await tokens.areInUse()) return null;
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

/** Tools of agents have a token of their own, good for one session and for nothing else. */
function aboutAgentToken(
  request: FastifyRequest,
  {
    agentTokens,
    attempts,
  }: Pick<TokenCheck, "attempts"> & { readonly agentTokens: AgentTokens | undefined },
): Problem | null {
  const { id: sessionId } = sessionParamsSchema.partial().safeParse(request.params).data ?? {};
  const given = bearerOf(request);
  const detail = "Only the tools of this session's agent may use this.";
  if (given === undefined) return toProblem("unauthorized", detail);
  if (sessionId !== undefined && agentTokens?.isFor(sessionId, given) === true) return null;
  return wrongToken(attempts, request, detail);
}

function isForAgents(request: FastifyRequest): boolean {
  return request.routeOptions.config.isForAgents === true;
}

function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.isPublic === true || isPageAddress(request);
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
