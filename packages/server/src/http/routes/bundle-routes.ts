import {
  BUNDLE_MEDIA_TYPE,
  emptyRequestSchema,
  removedQuerySchema,
  removedReplySchema,
  sessionParamsSchema,
  sessionSchema,
} from "@holdfast/protocol";
import type { FastifyInstance } from "fastify";
import { Readable } from "node:stream";
import { z } from "zod";
import { BUNDLE_LIMITS } from "../../runtime/bundle/bundle-limits.ts";
import type { App, AppServices } from "../app.ts";
import { fromLines, TooLarge, toLines } from "../wire/json-lines.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { compressStream } from "../server/compress-replies.ts";
import { addSessionHead } from "../server/head-requests.ts";
import { sendNewSession } from "../wire/send-reply.ts";
import { toWireRemoved } from "../wire/to-wire.ts";

const TAGS = ["bundles"];
/** Both media types of JSON Lines are in use. */
const MEDIA_TYPES = [BUNDLE_MEDIA_TYPE, "application/x-ndjson"];
const MAX_BUNDLE_BYTES = BUNDLE_LIMITS.totalLength;
const bundleSchema = z
  .unknown()
  .refine((body) => body !== undefined, "must be a bundle")
  .meta({ type: "string", description: "JSON Lines: one JSON value per line" });

export function addBundleRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/export",
    schema: {
      operationId: "exportSession",
      summary: "Export a session as a bundle",
      tags: TAGS,
      params: () => sessionParamsSchema,
      response: {
        200: {
          description: "JSON Lines: one JSON value per line",
          content: { [BUNDLE_MEDIA_TYPE]: { schema: () => bundleSchema } },
        },
        ...readProblems("session_not_found"),
      },
    },
    handler: async (request, reply) => {
      const { params } = request;
      const exported = await runtime.exportSession(params.id);
      if (!exported.ok) return sendRefusal(reply, exported);
      const lines = Readable.from(fromLines(exported.lines), { objectMode: false });
      return reply
        .code(200)
        .headers({
          "content-type": BUNDLE_MEDIA_TYPE,
          "content-disposition": `attachment; filename="${fileName(params.id)}"`,
        })
        .send(compressStream(lines, { request, reply }));
    },
  });

  addSessionHead(app, runtime, "/api/sessions/:id/export", BUNDLE_MEDIA_TYPE);

  void app.register(async (scope) => {
    addLinesBody(scope);
    scope.route({
      method: "POST",
      url: "/api/sessions/import",
      config: { bodyTypes: MEDIA_TYPES },
      bodyLimit: MAX_BUNDLE_BYTES,
      schema: {
        operationId: "importSession",
        summary: "Import a bundle",
        description:
          "The session keeps its ID and its history. It is imported completely or not at all. A bundle may have up to 4 GiB.",
        tags: TAGS,
        consumes: MEDIA_TYPES,
        body: () => bundleSchema,
        response: {
          201: () => sessionSchema,
          ...writeProblems("bundle_invalid", "session_exists"),
        },
      },
      handler: async (request, reply) => {
        const body = request.body instanceof Readable ? request.body : Readable.from([]);
        // After an early return the stream stays open, because the reply needs the connection.
        const bytes = body.iterator({ destroyOnReturn: false });
        const lines = toLines(bytes, { maxBytes: MAX_BUNDLE_BYTES });
        return sendNewSession(reply, await runtime.importSession(lines));
      },
    });
  });

  app.route({
    method: "GET",
    url: "/api/removed",
    schema: {
      operationId: "listRemoved",
      summary: "List removed sessions that can be restored",
      description:
        "Retention and cleanup write a bundle of each session before they remove it, in the data folder " +
        "of the node. Each node lists only its own bundles.",
      tags: TAGS,
      querystring: () => removedQuerySchema,
      response: { 200: () => removedReplySchema, ...readProblems() },
    },
    handler: async ({ query }) => toWireRemoved(await runtime.listRemoved(query)),
  });

  app.route({
    method: "POST",
    url: "/api/removed/:id/restore",
    schema: {
      operationId: "restoreRemoved",
      summary: "Restore a removed session",
      description:
        "The session keeps its ID, its history and its age. If it cannot be resumed, its retention time " +
        "starts again.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      body: () => emptyRequestSchema,
      response: {
        201: () => sessionSchema,
        ...writeProblems("removed_not_found", "session_exists", "bundle_invalid"),
      },
    },
    handler: async ({ params }, reply) =>
      sendNewSession(reply, await runtime.restoreRemoved(params.id)),
  });
}

/** Passes bundles on as a stream instead of buffering them. */
function addLinesBody(scope: FastifyInstance): void {
  for (const type of MEDIA_TYPES) {
    scope.addContentTypeParser(type, ({ headers }, payload, done) => {
      const isTooLarge = Number(headers["content-length"]) > MAX_BUNDLE_BYTES;
      done(isTooLarge ? new TooLarge("A bundle may have at most 4 GiB.") : null, payload);
    });
  }
}

function fileName(sessionId: string): string {
  return `session-${sessionId.replaceAll(/[^\w.-]/gu, "_")}.jsonl`;
}
