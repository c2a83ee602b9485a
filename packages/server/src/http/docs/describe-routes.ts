import { FEED_EVENTS, permissionRequestSchema } from "@holdfast/protocol";
import swagger from "@fastify/swagger";
import Fastify, { type FastifySchema, type RouteOptions } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { isObject } from "../../domain/json.ts";
import { scopeOf } from "../guard/route-scope.ts";

const TAGS = [
  { name: "sessions", description: "Create, list, read, change and delete sessions." },
  { name: "messages", description: "Send and read messages. Each message starts a run." },
  { name: "queue", description: "Messages that wait to be delivered." },
  { name: "lifecycle", description: "Cancel, resume, archive, finalize, fail and fork sessions." },
  { name: "changes", description: "What changed in the working files, and the way back." },
  { name: "suspensions", description: "Permissions, questions and events that runs wait for." },
  { name: "agent tools", description: "Called by the tools that Holdfast gives to agents." },
  {
    name: "editors",
    description: "The Agent Client Protocol, over streamable HTTP and WebSocket.",
  },
  { name: "events", description: "Live updates as server-sent events." },
  { name: "bundles", description: "Export, import and restore sessions." },
  { name: "repositories", description: "Git repositories that agents work in." },
  { name: "providers", description: "Agents and models that can run messages." },
  { name: "tokens", description: "Access to the API." },
  { name: "browsers", description: "Signing in and out on the web page." },
  { name: "nodes", description: "Servers that share one database." },
  { name: "stats", description: "Success rates, durations and costs." },
  { name: "server", description: "Health, readiness and metrics." },
];

/** Builds the OpenAPI document with a separate Fastify instance that has only these routes. */
export async function describeRoutes(
  routes: readonly RouteOptions[],
  { version }: { readonly version: string },
): Promise<object> {
  const app = Fastify({ exposeHeadRoutes: false });
  // First, because a schema exists once it was used, and the document has those that exist.
  const alsoNeeded = namesWithoutRoute();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Holdfast",
        version,
        description:
          "Durable sessions for coding agents. Requests and replies are JSON. Errors are RFC 9457 problem " +
          "documents with a stable `code`.",
        license: { name: "MIT", identifier: "MIT" },
      },
      tags: TAGS,
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: {
            type: "http",
            scheme: "bearer",
            description:
              "Required unless authentication is turned off. Each operation names the " +
              "scope it needs. Scopes in ascending order: read, send, approve, admin.",
          },
          agentToken: {
            type: "http",
            scheme: "bearer",
            description: "Given to the tools of an agent. Valid only for its session.",
          },
        },
      },
    },
    transform: (document) => {
      const created = createSchemas(document.schema);
      const { schema: described, url } = jsonSchemaTransform({ ...document, schema: created });
      const schema = { ...securityOf(document.route), ...described };
      const { body } = created;
      const isOptional = body instanceof z.ZodType && body.safeParse(undefined).success;
      return { schema: isOptional ? { ...schema, [OPTIONAL_BODY]: true } : schema, url };
    },
    transformObject: (document) =>
      withNeededSchemas(withOptionalBodies(jsonSchemaTransformObject(document)), alsoNeeded),
  });
  for (const { method, url, schema = {}, config = {} } of routes)
    app.route({ method, url, schema, config, handler: () => {} });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

/** Replaces each `LazySchema` with its schema. */
function createSchemas(description: object = {}): FastifySchema {
  const create = (part: unknown): unknown => {
    if (typeof part === "function") return part();
    return isObject(part) ? createSchemas(part) : part;
  };
  return Object.fromEntries(
    Object.entries(description).map(([name, part]) => [name, create(part)]),
  );
}

/** The scope that a token needs for a route. */
function securityOf({ method, url, config }: RouteOptions) {
  if (config?.isPublic === true) return { security: [] };
  const scope = scopeOf({ method: [method].flat()[0] ?? "GET", url });
  return scope === null ? {} : { security: [{ token: [scope] }] };
}

const OPTIONAL_BODY = "x-optional-body";

/** @fastify/swagger marks every body as required. */
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

const REF = /#\/components\/schemas\/(\w+)/gu;
/** Schemas that no route refers to: the data of events, and the request of a permission. */
function namesWithoutRoute(): readonly string[] {
  return [...Object.values(FEED_EVENTS), permissionRequestSchema].flatMap(namesIn);
}

/**
 * Removes unused schemas. The generator writes each schema twice, for requests with the suffix `Input`. The suffix is
 * dropped if only one of the two is used, or if both are equal.
 */
function withNeededSchemas<Document extends object>(
  document: Document,
  alsoNeeded: readonly string[],
): Document {
  const components = "components" in document ? Object(document.components) : {};
  const schemas: Record<string, unknown> = { ...components.schemas };
  const needed = new Set(alsoNeeded);
  const gather = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value ?? null).matchAll(REF)) {
      if (needed.has(name)) continue;
      needed.add(name);
      gather(schemas[name]);
    }
  };
  gather("paths" in document ? document.paths : null);
  for (const name of alsoNeeded) gather(schemas[name]);

  const plainName = (name: string): string => {
    const plain = name.replace(/Input$/u, "");
    const isSame = withoutInput(schemas[name]) === withoutInput(schemas[plain]);
    return name !== plain && (isSame || !needed.has(plain)) ? plain : name;
  };
  const entries = [...needed]
    .toSorted()
    .filter((name) => schemas[name] !== undefined)
    .map((name) => [plainName(name), schemas[name]]);
  const rename = (_key: string, value: unknown): unknown =>
    typeof value === "string"
      ? value.replaceAll(REF, (_match, name: string) => `#/components/schemas/${plainName(name)}`)
      : value;
  const slim = { ...document, components: { ...components, schemas: Object.fromEntries(entries) } };
  return JSON.parse(JSON.stringify(slim), rename);
}

function withoutInput(schema: unknown): string {
  return JSON.stringify(schema ?? null).replaceAll(/(#\/components\/schemas\/\w+)Input/gu, "$1");
}

function namesIn(schema: z.ZodType): readonly string[] {
  const options = schema instanceof z.ZodUnion ? schema.options : [schema];
  return options.flatMap((option) =>
    option instanceof z.ZodType ? (z.globalRegistry.get(option)?.id ?? []) : [],
  );
}
