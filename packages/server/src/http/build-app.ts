import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Runtime } from "../runtime/runtime.ts";
import { addAgentRoutes } from "./agent-routes.ts";
import type { AgentTokens } from "./agent-token.ts";
import { addBundleRoutes } from "./bundle-routes.ts";
import { answerClientError } from "./client-error.ts";
import { addDocsPage } from "./docs-page.ts";
import { addEventRoutes } from "./event-routes.ts";
import { addGracefulClose } from "./graceful-close.ts";
import { addGrantRoutes } from "./grant-routes.ts";
import { guard } from "./guard.ts";
import { addHealthRoutes } from "./health-routes.ts";
import { validatorCompiler } from "./invalid-request.ts";
import { addJsonBody } from "./json-body.ts";
import { addLifecycleRoutes } from "./lifecycle-routes.ts";
import { addMessageRoutes } from "./message-routes.ts";
import { addMetricsRoute } from "./metrics-route.ts";
import { addNotFound } from "./not-found.ts";
import { addOpenapi } from "./openapi.ts";
import { problemFromError } from "./problem-status.ts";
import { addProviderRoutes } from "./provider-routes.ts";
import { addQueueRoutes } from "./queue-routes.ts";
import { parseQuery } from "./query-string.ts";
import { addRepositoryRoutes } from "./repository-routes.ts";
import { childLogger, logRequest, requestId } from "./request-log.ts";
import { securityHeaders } from "./security-headers.ts";
import { sendProblem } from "./send-problem.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { addStatsRoutes } from "./stats-routes.ts";
import { addSuspensionRoutes } from "./suspension-routes.ts";
import { addWebPage } from "./web-page.ts";

/** What the routes are made of; put together in the composition root. */
export interface AppServices {
  readonly runtime: Runtime;
  readonly version: string;
  readonly startedAt: Date;
  readonly token: string | null;
  /** Without them no tool of an agent is let in. */
  readonly agentTokens?: AgentTokens;
  /** The folder of the built web page, or null to serve none. */
  readonly webFolder: string | null;
  /** Where requests and failures are logged: a pino logger, or one like it. Without it, nowhere. */
  readonly logger?: FastifyBaseLogger;
  /** How often open event streams show that they live. */
  readonly heartbeatMs?: number;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

const MAX_BODY_BYTES = 2 * 1024 * 1024;
const MAX_PARAM_LENGTH = 200;
/** For a whole request to arrive; a bundle takes its time. */
const REQUEST_TIMEOUT_MS = 10 * 60_000;

export async function buildApp(services: AppServices): Promise<App> {
  const { logger } = services;
  const app: App = Fastify({
    bodyLimit: MAX_BODY_BYTES,
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
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemFromError(error);
    if (problem.status >= 500) request.log.error(error);
    return sendProblem(reply, problem);
  });
  app.addHook("onRequest", logRequest);
  app.addHook("onRequest", securityHeaders);
  app.addHook("onRequest", guard(services));
  addJsonBody(app);
  addNotFound(app, services);
  addGracefulClose(app);
  await app.register((scope) => addRoutes(scope, services));
  return app;
}

async function addRoutes(app: App, services: AppServices): Promise<void> {
  await addOpenapi(app, services);
  addHealthRoutes(app, services);
  addMetricsRoute(app, services);
  addSessionRoutes(app, services);
  addMessageRoutes(app, services);
  addQueueRoutes(app, services);
  addLifecycleRoutes(app, services);
  addEventRoutes(app, services);
  addBundleRoutes(app, services);
  addSuspensionRoutes(app, services);
  addGrantRoutes(app, services);
  addAgentRoutes(app, services);
  addRepositoryRoutes(app, services);
  addProviderRoutes(app, services);
  addStatsRoutes(app, services);
  addDocsPage(app, services);
  if (services.webFolder !== null) await addWebPage(app, services.webFolder);
}
