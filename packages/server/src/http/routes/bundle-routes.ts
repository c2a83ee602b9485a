import { BUNDLE_MEDIA_TYPE, sessionParamsSchema, sessionSchema } from "@holdfast/protocol";
import type { FastifyInstance } from "fastify";
import { Readable } from "node:stream";
import { z } from "zod";
import { BUNDLE_LIMITS } from "../../runtime/bundle/bundle-limits.ts";
import type { App, AppServices } from "../app.ts";
import { fromLines, TooLarge, toLines } from "../wire/json-lines.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { sendNewSession } from "../wire/send-session.ts";

const TAGS = ["bundles"];
/** The same thing has several names in use. */
const MEDIA_TYPES = [BUNDLE_MEDIA_TYPE, "application/x-ndjson"];
const MAX_BUNDLE_BYTES = BUNDLE_LIMITS.totalLength;
const bundleSchema = z
  .unknown()
  .refine((body) => body !== undefined, "must be a bundle")
  .meta({ type: "string", description: "JSON Lines: one JSON value a line" });

export function addBundleRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/export",
    schema: {
      operationId: "exportSession",
      summary: "The session as a bundle that another server can import",
      tags: TAGS,
      params: sessionParamsSchema,
      response: {
        200: {
          description: "JSON Lines: one JSON value a line",
          content: { [BUNDLE_MEDIA_TYPE]: { schema: bundleSchema } },
        },
        ...readProblems("session_not_found"),
      },
    },
    handler: async ({ params }, reply) => {
      const exported = await runtime.exportSession(params.id);
      if (!exported.ok) return sendRefusal(reply, exported);
      return reply
        .code(200)
        .headers({
          "content-type": BUNDLE_MEDIA_TYPE,
          "content-disposition": `attachment; filename="${fileName(params.id)}"`,
        })
        .send(Readable.from(fromLines(exported.lines), { objectMode: false }));
    },
  });

  app.route({
    method: "HEAD",
    url: "/api/sessions/:id/export",
    schema: { hide: true, params: sessionParamsSchema },
    handler: async ({ params }, reply) => {
      const read = await runtime.readSession(params.id);
      if (!read.ok) return sendRefusal(reply, read);
      return reply.code(200).header("content-type", BUNDLE_MEDIA_TYPE).send();
    },
  });

  void app.register(async (scope) => {
    addLinesBody(scope);
    scope.route({
      method: "POST",
      url: "/api/sessions/import",
      config: { bodyTypes: MEDIA_TYPES },
      bodyLimit: MAX_BUNDLE_BYTES,
      schema: {
        operationId: "importSession",
        summary: "Take in a bundle",
        description:
          "The session keeps its id and its history. It is read as it comes, and stored as a whole or not at all. At most 4 GiB.",
        tags: TAGS,
        consumes: MEDIA_TYPES,
        body: bundleSchema,
        response: {
          201: sessionSchema,
          ...writeProblems("bundle_invalid", "session_exists"),
        },
      },
      handler: async (request, reply) => {
        const body = request.body instanceof Readable ? request.body : Readable.from([]);
        // Not destroyed when the rest is not wanted: the connection is needed for the answer.
        const bytes = body.iterator({ destroyOnReturn: false });
        const lines = toLines(bytes, { maxBytes: MAX_BUNDLE_BYTES });
        return sendNewSession(reply, await runtime.importSession(lines));
      },
    });
  });
}

/** Bundles are not collected but read as they come. */
function addLinesBody(scope: FastifyInstance): void {
  for (const type of MEDIA_TYPES) {
    scope.addContentTypeParser(type, ({ headers }, payload, done) => {
      const isTooLarge = Number(headers["content-length"]) > MAX_BUNDLE_BYTES;
      done(isTooLarge ? new TooLarge("A bundle has at most 4 GiB.") : null, payload);
    });
  }
}

function fileName(sessionId: string): string {
  return `session-${sessionId.replaceAll(/[^\w.-]/gu, "_")}.jsonl`;
}
