import Fastify, { LogController } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { App, AppServices } from "./app.ts";
import { acceptAgentIds } from "./wire/agent-ids.ts";
import { addAgentRoutes } from "./routes/agent-routes.ts";
import { addBundleRoutes } from "./routes/bundle-routes.ts";
import { answerClientError } from "./problems/client-error.ts";
import { addDocsPage } from "./docs/docs-page.ts";
import { drainRefusedBodies } from "./server/drain-body.ts";
import { addEventRoutes } from "./routes/event-routes.ts";
import { addGracefulClose } from "./server/graceful-close.ts";
import { addGrantRoutes } from "./routes/grant-routes.ts";
import { addGuard } from "./guard/guard.ts";
import { createHeadRequests } from "./server/head-requests.ts";
import { addHealthRoutes } from "./routes/health-routes.ts";
import { validatorCompiler } from "./problems/invalid-request.ts";
import { addJsonBody } from "./wire/json-body.ts";
import { addLifecycleRoutes } from "./routes/lifecycle-routes.ts";
import { addMessageRoutes } from "./routes/message-routes.ts";
import { addMetricsRoute } from "./routes/metrics-route.ts";
import { addNodeRoutes } from "./routes/node-routes.ts";
import { addNotFound } from "./problems/not-found.ts";
import { addOpenapi } from "./docs/openapi.ts";
import { problemFromError } from "./problems/problem-status.ts";
import { addProviderRoutes } from "./routes/provider-routes.ts";
import { addQueueRoutes } from "./routes/queue-routes.ts";
import { parseQuery } from "./wire/query-string.ts";
import { addRemovedRoutes } from "./routes/removed-routes.ts";
import { addRepositoryRoutes } from "./routes/repository-routes.ts";
import { childLogger, logRequest, requestId } from "./server/request-log.ts";
import { addRunRoutes } from "./routes/run-routes.ts";
import { securityHeaders } from "./guard/security-headers.ts";
import { sendProblem } from "./problems/send-problem.ts";
import { MAX_BODY_BYTES } from "./server/server-limits.ts";
import { addSessionRoutes } from "./routes/session-routes.ts";
import { addStatsRoutes } from "./routes/stats-routes.ts";
import { addSuspensionRoutes } from "./routes/suspension-routes.ts";
import { addTokenRoutes } from "./routes/token-routes.ts";
import { addWebPage } from "./server/web-page.ts";

const MAX_PARAM_LENGTH = 200;
/** For a whole request to arrive; a bundle takes its time. */
const REQUEST_TIMEOUT_MS = 10 * 60_000;

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
    // The framework's own would be loaded for nothing: ours are set right below.
    schemaController: {
      compilersFactory: { buildValidator: () => notUsed, buildSerializer: () => notUsed },
    },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemFromError(error);
    if (problem.status >= 500) request.log.error(error);
    // Not what was about to be saved under a name.
    return sendProblem(reply.removeHeader("content-disposition"), problem);
  });
  app.addHook("onRequest", logRequest);
  app.addHook("onRequest", securityHeaders);
  heads.addTo(app);
  addGuard(app, services);
  addJsonBody(app);
  drainRefusedBodies(app);
  addNotFound(app, services);
  addGracefulClose(app);
  await app.register((scope) => addRoutes(scope, services));
  return app;
}

const notUsed = (): never => {
  throw new Error("unreachable: compilers are set");
};

async function addRoutes(app: App, services: AppServices): Promise<void> {
  acceptAgentIds(app, services);
  const describe = addOpenapi(app, services);
  addHealthRoutes(app, services);
  addMetricsRoute(app, services);
  addSessionRoutes(app, services);
  addMessageRoutes(app, services);
  addRunRoutes(app, services);
  addQueueRoutes(app, services);
  addLifecycleRoutes(app, services);
  addEventRoutes(app, services);
  addBundleRoutes(app, services);
  addRemovedRoutes(app, services);
  addSuspensionRoutes(app, services);
  addGrantRoutes(app, services);
  addAgentRoutes(app, services);
  addRepositoryRoutes(app, services);
  addProviderRoutes(app, services);
  addNodeRoutes(app, services);
  addStatsRoutes(app, services);
  if (services.tokens !== undefined) addTokenRoutes(app, services.tokens);
  addDocsPage(app, { ...services, describe });
  if (services.webFolder !== null) await addWebPage(app, services.webFolder);
}
