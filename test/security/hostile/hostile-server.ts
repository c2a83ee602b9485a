import { FEED_EVENTS } from "@holdfast/protocol";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { z } from "zod";
import { fillings, schemaSchema, type Filling } from "./fill-schema.ts";

/** The value of every ID in its responses. */
export const HOSTILE_ID = "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11";
const DESCRIPTION = path.resolve(import.meta.dirname, "../../../docs/reference/openapi.json");

export interface HostileOptions {
  /** The text for every text field, by its path. */
  readonly text: (field: string) => string;
  /** Whether every request fails with a hostile problem document. */
  readonly refuses?: boolean;
  /** Whether streams contain events. */
  readonly streams?: boolean;
  /** URL of the server that handles requests outside the API description. */
  readonly upstream?: string;
}

export interface HostileServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Responds to every operation of the API description with valid values that contain hostile text. */
export async function openHostileServer(options: HostileOptions): Promise<HostileServer> {
  const { text, refuses = false, streams = true, upstream } = options;
  const { paths, components } = descriptionSchema.parse(
    JSON.parse(readFileSync(DESCRIPTION, "utf8")),
  );
  const filling: Filling = { schemas: components.schemas, text, word: HOSTILE_ID };
  const operations = Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      matches: new RegExp(`^${method} ${url.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "iu"),
      responses,
    })),
  );
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const operation = operations.find(({ matches }) =>
      matches.test(`${request.method} ${pathname}`),
    );
    if (operation === undefined) return void forward(request, response, upstream);
    if (refuses) return sendProblem(response, filling);
    const [status, content] = successOf(operation.responses);
    if (content["text/event-stream"] !== undefined)
      return sendEvents(response, streams ? filling : null);
    if (content["application/jsonl"] !== undefined) {
      response.writeHead(status, { "content-type": "application/jsonl" });
      return void response.end(`${JSON.stringify({ text: text("text"), [text("key")]: 1 })}\n`);
    }
    const [body] = fillings(content["application/json"]?.schema ?? {}, filling);
    const isNextPage = Number(searchParams.get("after") ?? 0) > 0;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(isNextPage ? { ...Object(body), messages: [] } : body));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("unreachable: a TCP server");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(
  { url = "/", headers }: IncomingMessage,
  response: ServerResponse,
  upstream: string | undefined,
): Promise<void> {
  if (upstream === undefined) return void response.writeHead(404).end();
  const accept = headers.accept ?? "*/*";
  const original = await fetch(new URL(url, upstream), { headers: { accept } });
  for (const name of ["content-type", "content-security-policy", "cache-control"]) {
    const value = original.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.writeHead(original.status).end(Buffer.from(await original.arrayBuffer()));
}

function successOf(responses: Responses): readonly [number, Content] {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return success === undefined ? [204, {}] : [Number(success[0]), success[1].content ?? {}];
}

function sendProblem(response: ServerResponse, { text }: Filling): void {
  response.writeHead(409, { "content-type": "application/problem+json" });
  response.end(
    JSON.stringify({
      type: "about:blank",
      title: text("title"),
      status: 409,
      code: "session_busy",
      detail: text("detail"),
      errors: [{ field: text("field"), message: text("message") }],
    }),
  );
}

/** Sends every kind of event in all its variants. The run completes, and finally the session is deleted. */
function sendEvents(response: ServerResponse, filling: Filling | null): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(": open\n\n");
  if (filling === null) return;
  const { reset: _, run, session, ...others } = FEED_EVENTS;
  const events = [
    ...Object.entries(others).flatMap(([name, schema]) => allOf(name, schema, filling)),
    ...allOf("run", run, filling),
    ...allOf("session", session, filling),
  ];
  for (const [index, { name, data }] of events.entries())
    response.write(`id: ${index + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

function allOf(name: string, schema: z.ZodType, filling: Filling) {
  const { $defs, ...jsonSchema } = z
    .intersection(schemaSchema, z.object({ $defs: schemasSchema.default({}) }))
    .parse(z.toJSONSchema(schema, { unrepresentable: "any" }));
  const schemas = { ...filling.schemas, ...$defs };
  return fillings(jsonSchema, { ...filling, schemas }).map((data) => ({ name, data }));
}

const schemasSchema = z.record(z.string(), schemaSchema);
const contentSchema = z.record(z.string(), z.object({ schema: schemaSchema }));
const responsesSchema = z.record(z.string(), z.object({ content: contentSchema.optional() }));
type Content = z.infer<typeof contentSchema>;
type Responses = z.infer<typeof responsesSchema>;

const descriptionSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: responsesSchema }))),
  components: z.object({ schemas: schemasSchema }),
});
