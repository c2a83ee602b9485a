import { allEventsQuerySchema, eventsQuerySchema, sessionParamsSchema } from "@holdfast/protocol";
import { z } from "zod";
import { LIMITS } from "../../runtime/context.ts";
import type { App, AppServices } from "../app.ts";
import { addEventStreams } from "../streams/event-streams.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";

const TAGS = ["events"];
const HEARTBEAT_MS = 15_000;
const MEDIA_TYPE = "text/event-stream";
const streamSchema = z.unknown().meta({ type: "string", description: "Server-sent events" });
const STREAM = {
  200: {
    description:
      "Events named message, delta, run, session, suspension, queue or phase, each with its JSON; " +
      "of all sessions also reset. Comments in between show that the connection lives.",
    content: { [MEDIA_TYPE]: { schema: streamSchema } },
  },
};
const lastSeqSchema = z.looseObject({
  "last-event-id": z
    .string()
    .regex(/^\d{1,15}$/u, "must be the id of an event of the session")
    .transform(Number)
    .optional(),
});
const lastPositionSchema = z.looseObject({
  "last-event-id": z
    .string()
    .max(200)
    .regex(/^[!-~]*$/u, "must be the id of an event")
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
  const streams = addEventStreams(app, { heartbeatMs, limit: limits.streams });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/events",
    schema: {
      operationId: "streamSessionEvents",
      summary: "What happens to a session, live, after a sequence number",
      description:
        "Without a number, from the beginning. A reader that applies what it gets has what " +
        "`GET /api/sessions/{id}` shows. After a break it goes on where it was, with Last-Event-ID; " +
        "one that is too slow is dropped and does the same.",
      tags: TAGS,
      params: sessionParamsSchema,
      headers: lastSeqSchema,
      querystring: eventsQuerySchema,
      produces: [MEDIA_TYPE],
      response: {
        ...STREAM,
        ...readProblems("session_not_found", "server_stopping", "streams_full"),
      },
    },
    handler: ({ params, headers, query }, reply) => {
      const after = headers["last-event-id"] ?? query.after ?? 0;
      return streams.stream(reply, (reader) =>
        runtime.openFeed({ sessionId: params.id, after, ...reader }),
      );
    },
  });

  app.route({
    method: "GET",
    url: "/api/events",
    schema: {
      operationId: "streamAllEvents",
      summary: "Changes of all sessions, live",
      description:
        "A `session` event for each change, with the session as it is then. `reset` says that what " +
        "was missed is not known: read again what is shown.",
      tags: TAGS,
      headers: lastPositionSchema,
      querystring: allEventsQuerySchema,
      produces: [MEDIA_TYPE],
      response: { ...STREAM, ...readProblems("streams_full") },
    },
    handler: ({ headers, query }, reply) => {
      const after = headers["last-event-id"] || (query.after ?? null);
      return streams.stream(reply, async (reader) => ({
        ok: true,
        feed: runtime.openGlobalFeed({ after, ...reader }),
      }));
    },
  });

  app.route({
    method: "HEAD",
    url: "/api/sessions/:id/events",
    schema: { hide: true, params: sessionParamsSchema },
    handler: async ({ params }, reply) => {
      const read = await runtime.readSession(params.id);
      if (!read.ok) return sendRefusal(reply, read);
      return reply.code(200).header("content-type", MEDIA_TYPE).send();
    },
  });

  app.route({
    method: "HEAD",
    url: "/api/events",
    schema: { hide: true },
    handler: (_request, reply) => reply.code(200).header("content-type", MEDIA_TYPE).send(),
  });
}
