import Fastify, { LogController } from "fastify";
import { isObject } from "../domain/json.ts";
import type { App, AppServices, RouteTypes } from "./app.ts";
import { addAgentMcpRoutes } from "./routes/agent-mcp-routes.ts";
import { addAgentRoutes } from "./routes/agent-routes.ts";
import { addBundleRoutes } from "./routes/bundle-routes.ts";
import { addChangesRoutes } from "./routes/changes-routes.ts";
import { addDocs } from "./docs/add-docs.ts";
import { compressReplies } from "./server/compress-replies.ts";
import { drainRefusedBodies } from "./server/drain-body.ts";
import { addEditorRoutes } from "./doors/editor-routes.ts";
import { addEventRoutes } from "./routes/event-routes.ts";
import { addGracefulClose } from "./server/graceful-close.ts";
import { countFailedAttempts, type FailedAttempts } from "./guard/failed-attempts.ts";
import { addGuard } from "./guard/guard.ts";
import { createHeadRequests } from "./server/head-requests.ts";
import { addHealthRoutes } from "./routes/health-routes.ts";
import { validatorCompiler } from "./problems/invalid-request.ts";
import { addLifecycleRoutes } from "./routes/lifecycle-routes.ts";
import { addMcpRoutes } from "./doors/mcp-routes.ts";
import { addMessageRoutes } from "./routes/message-routes.ts";
import { addMetricsRoute } from "./routes/metrics-route.ts";
import { addNotFound } from "./problems/not-found.ts";
import { addJsonBody, parseQuery } from "./wire/parse-request.ts";
import { problemFromError } from "./problems/problem-status.ts";
import { addOutputRoutes } from "./routes/output-routes.ts";
import { addQueueRoutes } from "./routes/queue-routes.ts";
import { addRepositoryRoutes } from "./routes/repository-routes.ts";
import { childLogger, logRequest, requestId } from "./server/request-log.ts";
import { createRequestMetrics, type RequestMetrics } from "./server/request-metrics.ts";
import { answerClientError, answerExpectation, sendProblem } from "./problems/send-problem.ts";
import { MAX_BODY_BYTES } from "./server/server-limits.ts";
import { addLoginRoutes } from "./routes/login-routes.ts";
import { addServerRoutes } from "./routes/server-routes.ts";
import { addSessionRoutes } from "./routes/session-routes.ts";
import { addSignInRoutes } from "./routes/sign-in-routes.ts";
import { addSuspensionRoutes } from "./routes/suspension-routes.ts";
import { addTokenRoutes } from "./routes/token-routes.ts";
import { addWorkRoutes } from "./routes/work-routes.ts";
import { addWebPage } from "./server/web-page.ts";

const MAX_PARAM_LENGTH = 200;
/** The time within which a whole request must arrive. Bundles are large. */
const REQUEST_TIMEOUT_MS = 10 * 60_000;

/** Replies are data. Nothing may run or frame them, guess their type, read them from other sites, or cache them. */
const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/u;

export async function buildApp(services: AppServices): Promise<App> {
  const { logger } = services;
  const heads = createHeadRequests();
  const app: App = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    rewriteUrl: heads.rewriteUrl,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "requestId",
    }),
    childLoggerFactory: childLogger,
    genReqId: requestId,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: parseQuery },
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply, problemFromError(error));
    },
    clientErrorHandler: answerClientError,
    // Node would refuse a request without the header itself, without a problem document. The guard does.
    http: { requireHostHeader: false },
    // Fastify would load its own compilers, which are never used: ours are set below.
    schemaController: {
      compilersFactory: { buildValidator: () => notUsed, buildSerializer: () => notUsed },
    },
  }).withTypeProvider<RouteTypes>();
  app.server.on("checkExpectation", answerExpectation);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemFromError(error);
    if (problem.status >= 500) request.log.error(error);
    // A problem must not be downloaded as a file, and is not compressed as the reply would have been.
    reply.removeHeader("content-disposition").removeHeader("content-encoding");
    return sendProblem(reply, problem);
  });
  app.addHook("onRequest", logRequest);
  const requests = createRequestMetrics();
  app.addHook("onRequest", (request, reply, done) => {
    requests.observe(request, reply);
    done();
  });
  // First, so that streams and refusals have them too. A page replaces the policy with its own.
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
  heads.addTo(app);
  const attempts = countFailedAttempts({ clock: Date.now });
  addGuard(app, { ...services, attempts });
  addJsonBody(app);
  drainRefusedBodies(app);
  compressReplies(app);
  addNotFound(app, services);
  addGracefulClose(app);
  await app.register((scope) => addRoutes(scope, services, { attempts, requests }));
  return app;
}

const notUsed = (): never => {
  throw new Error("unreachable: compilers are set");
};

async function addRoutes(
  app: App,
  services: AppServices,
  { attempts, requests }: { readonly attempts: FailedAttempts; readonly requests: RequestMetrics },
): Promise<void> {
  acceptAgentIds(app, services);
  addDocs(app, services);
  addHealthRoutes(app, services);
  addMetricsRoute(app, { ...services, requests });
  addSessionRoutes(app, services);
  addMessageRoutes(app, services);
  addOutputRoutes(app, services);
  addQueueRoutes(app, services);
  addLifecycleRoutes(app, services);
  addChangesRoutes(app, services);
  addWorkRoutes(app, services);
  addEventRoutes(app, services);
  addBundleRoutes(app, services);
  addSuspensionRoutes(app, services);
  addAgentRoutes(app, services);
  addAgentMcpRoutes(app, services);
  addRepositoryRoutes(app, services);
  addServerRoutes(app, services);
  addLoginRoutes(app, services);
  const { token, tokens, browsers, signInCodes: codes } = services;
  if (tokens !== undefined) addTokenRoutes(app, tokens);
  if (tokens !== undefined && browsers !== undefined && codes !== undefined)
    addSignInRoutes(app, { token, tokens, browsers, codes, attempts });
  if (services.editorDoor !== undefined) await addEditorRoutes(app, services.editorDoor);
  if (services.mcpDoor !== undefined) await addMcpRoutes(app, services.mcpDoor);
  if (services.webFolder !== null) await addWebPage(app, services.webFolder);
}

/** Routes accept the agent ID of a session in place of its ID. */
function acceptAgentIds(app: App, { runtime }: AppServices): void {
  app.addHook("preHandler", async ({ params, routeOptions }) => {
    const isOnSession = routeOptions.url?.startsWith("/api/sessions/:id") === true;
    if (!isOnSession || !hasId(params) || SESSION_ID.test(params.id)) return;
    params.id = (await runtime.findSession(params.id)) ?? params.id;
  });
}

function hasId(params: unknown): params is { id: string } {
  return isObject(params) && typeof params["id"] === "string";
}
