import {
  createSessionReplySchema,
  createSessionRequestSchema,
  listSessionsQuerySchema,
  rawSessionSchema,
  sessionListSchema,
  sessionParamsSchema,
  sessionSchema,
  toEtag,
  updateSessionRequestSchema,
  wholeSessionSchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { createListEncoder } from "../wire/list-encoder.ts";
import { fromWireCreate, fromWireQuery, fromWireUpdate } from "../wire/from-wire.ts";
import {
  idempotencyOf,
  idempotencySchema,
  ifMatchSchema,
  onSession,
} from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { newSessionHeaders, sendSession } from "../wire/send-session.ts";
import { toWireRaw, toWireSent, toWireSession, toWireWholeSession } from "../wire/to-wire.ts";

const TAGS = ["sessions"];

export function addSessionRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  const encode = createListEncoder();
  app.route({
    method: "POST",
    url: "/api/sessions",
    schema: {
      operationId: "createSession",
      summary: "Create a session",
      description:
        "The session is idle and no agent is started, unless it carries a first message, which is " +
        "stored with it and starts its first run.",
      tags: TAGS,
      headers: idempotencySchema,
      body: createSessionRequestSchema,
      response: {
        201: createSessionReplySchema,
        ...writeProblems(
          "agent_not_installed",
          "agents_busy",
          "idempotency_key_reused",
          "metadata_invalid",
          "path_outside_root",
          "provider_unknown",
          "repository_not_found",
          "repository_required",
          "session_exists",
        ),
      },
    },
    handler: async (request, reply) => {
      const created = await runtime.createSession({
        ...fromWireCreate(request.body),
        idempotency: idempotencyOf(request),
      });
      if (!created.ok) return sendRefusal(reply, created);
      const { session, sent } = created;
      return reply
        .code(201)
        .headers(newSessionHeaders(session))
        .send({ ...toWireSession(session), sent: sent === null ? null : toWireSent(sent) });
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions",
    schema: {
      operationId: "listSessions",
      summary: "List sessions, newest first",
      description:
        "Without `status`, those that are active or suspended. `cursor` pages on from `nextCursor` " +
        "and stays steady while sessions are added; `offset` is for short lists. A search finds the " +
        "sessions whose title, purpose and agent's name, or one of whose messages, have every word " +
        "of `q`; `hits` shows of each session the newest such message, words before tools.",
      tags: TAGS,
      querystring: listSessionsQuerySchema,
      response: { 200: sessionListSchema, ...readProblems() },
    },
    handler: async ({ query }, reply) => {
      const page = await runtime.listSessions(fromWireQuery(query));
      const { list, text } = encode(page, query);
      return reply.serializer(() => text).send(list);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id",
    schema: {
      operationId: "getSession",
      summary: "A session with its repository and all its messages",
      description:
        "`lastEventId` is where an event stream goes on from exactly this. The ETag names the " +
        "version of the session for If-Match; it does not change with text that an agent streams. " +
        "A session whose stored data is damaged is `row_unreadable`, with the column and what is " +
        "wrong: see it at `/raw`, or delete it. Messages that cannot be read are left out.",
      tags: TAGS,
      params: sessionParamsSchema,
      response: { 200: wholeSessionSchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) => {
      const whole = await runtime.readWholeSession(params.id);
      if (!whole.ok) return sendRefusal(reply, whole);
      return reply
        .code(200)
        .header("etag", toEtag(whole.session.version))
        .send(toWireWholeSession(whole));
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/raw",
    schema: {
      operationId: "getRawSession",
      summary: "A session as it is stored",
      description:
        "For operators: also of a session that cannot be read, and of its messages and runs that cannot.",
      tags: TAGS,
      params: sessionParamsSchema,
      response: { 200: rawSessionSchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) => {
      const read = await runtime.readRaw(params.id);
      return read.ok ? reply.send(toWireRaw(read.raw)) : sendRefusal(reply, read);
    },
  });

  app.route({
    method: "PATCH",
    url: "/api/sessions/:id",
    schema: {
      operationId: "updateSession",
      summary: "Change a session's title, metadata, phase, delivery policy or preference",
      tags: TAGS,
      params: sessionParamsSchema,
      headers: ifMatchSchema,
      body: updateSessionRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems(
          "metadata_invalid",
          "phase_final",
          "provider_unknown",
          "session_archived",
          "session_failed",
          "session_not_found",
          "version_mismatch",
        ),
      },
    },
    handler: async (request, reply) => {
      const updated = await runtime.updateSession({
        ...onSession(request),
        ...fromWireUpdate(request.body),
      });
      return sendSession(reply, updated);
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/sessions/:id",
    schema: {
      operationId: "deleteSession",
      summary: "Delete a session for good, from any state",
      description:
        "Its run is cancelled and its history gone; the reply is the session as it was. Of a session " +
        "that cannot be read, the reply is what is known of it, and `failure` says what is wrong.",
      tags: TAGS,
      params: sessionParamsSchema,
      headers: ifMatchSchema,
      response: {
        200: sessionSchema,
        ...writeProblems("session_not_found", "version_mismatch"),
      },
    },
    handler: async (request, reply) =>
      sendSession(reply, await runtime.deleteSession(onSession(request))),
  });
}
