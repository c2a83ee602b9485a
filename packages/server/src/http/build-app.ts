import swagger from "@fastify/swagger";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawServerDefault,
} from "fastify";
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readiness } from "../runtime/readiness.ts";
import { guard } from "./guard.ts";
import { addHealthRoutes } from "./health-routes.ts";
import { problemFromError, toProblem } from "./problem-status.ts";
import { addWebPage } from "./web-page.ts";

/** What the routes are made of; put together in the composition root. */
export interface AppServices {
  readonly version: string;
  readonly startedAt: Date;
  readonly token: string | null;
  /** The folder of the built web page, or null to serve none. */
  readonly webFolder: string | null;
  readonly readiness: () => Promise<Readiness>;
  readonly logLevel: "warn" | "silent";
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

const MAX_BODY_BYTES = 2 * 1024 * 1024;

export async function buildApp(services: AppServices): Promise<App> {
  const app: App = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
    logger: { level: services.logLevel },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.addHook("onRequest", guard(services));
  app.setErrorHandler((error, request, reply) => {
    const problem = problemFromError(error);
    if (problem.status >= 500) request.log.error(error);
    return reply.code(problem.status).type("application/problem+json").send(problem);
  });
  app.setNotFoundHandler((request, reply) => {
    const problem = toProblem("not_found", `There is no ${request.method} ${request.url}.`);
    return reply.code(problem.status).type("application/problem+json").send(problem);
  });

  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Holdfast",
        version: services.version,
        description: "Durable sessions for coding agents.",
        license: { name: "MIT", identifier: "MIT" },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  addHealthRoutes(app, services);
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  if (services.webFolder !== null) await addWebPage(app, services.webFolder);
  return app;
}
