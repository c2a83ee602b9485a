import { allEventsQuerySchema, eventsQuerySchema, sessionParamsSchema } from "@holdfast/protocol";
import { z } from "zod";
import { LIMITS } from "../../runtime/context.ts";
import type { App, AppServices } from "../app.ts";
import { addEventStreams } from "../streams/event-streams.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { addSessionHead } from "../server/head-requests.ts";

const TAGS = ["events"];
const HEARTBEAT_MS = 15_000;
const MEDIA_TYPE = "text/event-stream";
const streamSchema = z.unknown().meta({ type: "string", description: "Server-sent events" });
const STREAM = {
  200: {
    description:
      "Server-sent events named message, delta, run, session, suspension, queue or phase, with JSON data. " +
      "The stream of all sessions also sends reset. Comments serve as heartbeats.",
    content: { [MEDIA_TYPE]: { schema: () => streamSchema } },
  },
};
const lastSeqSchema = z.looseObject({
  "last-event-id": z
    .string()
    .regex(/^\d{1,15}$/u, "must be the ID of an event of the session")
    .transform(Number)
    .optional(),
});
const lastPositionSchema = z.looseObject({
  "last-event-id": z
    .string()
    .max(200)
    .regex(/^[!-~]*$/u, "must be the ID of an event")
    .optional(),
});

export function addEventRoutes(
  app: App,
  {
    runtime,
    limits = LIMITS,
    heartbeatMs = HEARTBEAT_MS,
  }: Pick<AppServices, "runtime" | "limits" | "heartbeatMs">,
): void {
  const stream = addEventStreams(app, { heartbeatMs, limit: limits.streams });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/events",
    schema: {
      operationId: "streamSessionEvents",
      summary: "Stream the events of a session",
      description:
        "Starts after `after` or Last-Event-ID, or at the beginning. A client that applies all events " +
        "has the same data as `GET /api/sessions/{id}`. After a disconnect it continues with " +
        "Last-Event-ID. A client that reads too slowly is disconnected.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      headers: () => lastSeqSchema,
      querystring: () => eventsQuerySchema,
      produces: [MEDIA_TYPE],
      response: {
        ...STREAM,
        ...readProblems("session_not_found", "server_stopping", "streams_full"),
      },
    },
    handler: ({ params, headers, query }, reply) => {
      const after = headers["last-event-id"] ?? query.after ?? 0;
      return stream(reply, (reader) =>
        runtime.openFeed({ sessionId: params.id, after, ...reader }),
      );
    },
  });

  app.route({
    method: "GET",
    url: "/api/events",
    schema: {
      operationId: "streamAllEvents",
      summary: "Stream the changes of all sessions",
      description:
        "Sends a `session` event for each change. `reset` means that events were missed and the client " +
        "must fetch its data again.",
      tags: TAGS,
      headers: () => lastPositionSchema,
      querystring: () => allEventsQuerySchema,
      produces: [MEDIA_TYPE],
      response: { ...STREAM, ...readProblems("streams_full") },
    },
    handler: ({ headers, query }, reply) => {
      const after = headers["last-event-id"] || (query.after ?? null);
      return stream(reply, async (reader) => ({
        ok: true,
        feed: runtime.openGlobalFeed({ after, ...reader }),
      }));
    },
  });

  addSessionHead(app, runtime, "/api/sessions/:id/events", MEDIA_TYPE);

  app.route({
    method: "HEAD",
    url: "/api/events",
    schema: { hide: true },
    handler: (_request, reply) => reply.code(200).header("content-type", MEDIA_TYPE).send(),
  });
}
