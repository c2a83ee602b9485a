import swagger from "@fastify/swagger";
import Fastify, { type RouteOptions } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { withNeededSchemas } from "./openapi-schemas.ts";
import { scopeOf } from "../guard/route-scope.ts";

const TAGS = [
  { name: "sessions", description: "Durable sessions: create, list, read, change, delete." },
  { name: "messages", description: "What is said in a session; each message starts a run." },
  { name: "queue", description: "Messages that wait for their turn." },
  { name: "lifecycle", description: "Cancel, resume, archive, finalize, fail, fork." },
  { name: "suspensions", description: "What waits for a person." },
  { name: "agent tools", description: "What agents call by the tools they are given." },
  { name: "events", description: "Live events, over server-sent events." },
  { name: "bundles", description: "Sessions as files." },
  { name: "repositories", description: "Where agents work." },
  { name: "providers", description: "Which agents there are." },
  { name: "tokens", description: "Who may use the API." },
  { name: "nodes", description: "The servers that share a database." },
  { name: "stats", description: "How it went." },
  { name: "server", description: "Health, readiness and figures." },
];

/** The OpenAPI document of these routes, made by a server that has them and nothing else. */
export async function describeRoutes(
  routes: readonly RouteOptions[],
  { version }: { readonly version: string },
): Promise<object> {
  const app = Fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Holdfast",
        version,
        description:
          "Durable sessions for coding agents. JSON in and out; errors are RFC 9457 problem " +
          "documents with a stable `code`.",
        license: { name: "MIT", identifier: "MIT" },
      },
      tags: TAGS,
      security: [{}, { token: [] }],
      components: {
        securitySchemes: {
          token: {
            type: "http",
            scheme: "bearer",
            description:
              "Needed where the server was started with a token, or tokens were made; for each operation with the " +
              "scope that is named there, or one that includes it: read, send, admin.",
          },
          agentToken: {
            type: "http",
            scheme: "bearer",
            description: "Given to an agent's tools; good for its session only.",
          },
        },
      },
    },
    transform: (document) => {
      const { schema: described, url } = jsonSchemaTransform(document);
      const schema = { ...securityOf(document.route), ...described };
      const body: unknown = document.schema?.body;
      const isOptional = body instanceof z.ZodType && body.safeParse(undefined).success;
      return { schema: isOptional ? { ...schema, [OPTIONAL_BODY]: true } : schema, url };
    },
    transformObject: (document) =>
      withNeededSchemas(withOptionalBodies(jsonSchemaTransformObject(document))),
  });
  for (const { method, url, schema = {}, config = {} } of routes)
    app.route({ method, url, schema, config, handler: () => {} });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

/** What a token must allow, where one is needed at all. */
function securityOf({ method, url, config }: RouteOptions) {
  if (config?.isPublic === true) return { security: [] };
  const scope = scopeOf({ method: [method].flat()[0] ?? "GET", url });
  return scope === null ? {} : { security: [{}, { token: [scope] }] };
}

const OPTIONAL_BODY = "x-optional-body";

/** The framework calls every body required. */
function withOptionalBodies<Document extends object>(document: Document): Document {
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (OPTIONAL_BODY in value && "requestBody" in value) {
      Object.assign(Object(value.requestBody), { required: false });
      delete value[OPTIONAL_BODY];
    }
    Object.values(value).forEach(walk);
  };
  walk("paths" in document ? document.paths : null);
  return document;
}
