import {
  createSessionReplySchema,
  createSessionRequestSchema,
  deleteSessionQuerySchema,
  deleteSessionReplySchema,
  listSessionsQuerySchema,
  optionsReplySchema,
  rawSessionSchema,
  sessionListSchema,
  sessionParamsSchema,
  sessionQuerySchema,
  toEtag,
  updateSessionRequestSchema,
  wholeSessionSchema,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { App, AppServices } from "../app.ts";
import { createListEncoder } from "../wire/list-encoder.ts";
import { fromWireCreate, fromWireQuery, fromWireUpdate } from "../wire/from-wire.ts";
import {
  idempotencyOf,
  idempotencySchema,
  ifMatchSchema,
  onSession,
} from "../wire/preconditions.ts";
import { changedSession, readProblems, writeProblems } from "../problems/problem-responses.ts";
import { aboutChanges, aboutNewSession } from "../guard/body-scope.ts";
import { sendProblem, sendRefusal } from "../problems/send-problem.ts";
import { MESSAGE_JSON, sendJson, sessionJson } from "../wire/message-json.ts";
import { newSessionHeaders, sendReply, sendSession } from "../wire/send-reply.ts";
import {
  toWireOptions,
  toWireDeleted,
  toWireRaw,
  toWireSent,
  toWireSession,
} from "../wire/to-wire.ts";

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
        "The new session is idle. With `message`, the message is stored with the session and starts the " +
        "first run.",
      tags: TAGS,
      headers: () => idempotencySchema,
      body: () => createSessionRequestSchema,
      response: {
        201: () => createSessionReplySchema,
        ...writeProblems(
          "agent_not_installed",
          "agents_busy",
          "idempotency_key_reused",
          "mcp_server_invalid",
          "metadata_invalid",
          "path_not_found",
          "path_outside_root",
          "provider_unknown",
          "repository_not_found",
          "repository_required",
          "session_exists",
          "setting_not_offered",
        ),
      },
    },
    handler: async (request, reply) => {
      const problem = aboutNewSession(request);
      if (problem !== null) return sendProblem(reply, problem);
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
        "Without `status`, lists active and suspended sessions. To get the next page, pass `nextCursor` " +
        "as `cursor`; pages stay stable while sessions are added. `offset` is for short lists. `q` " +
        "finds sessions that contain every word, either in title, purpose and agent name, or in one " +
        "message. `hits` has the newest matching message per session; text comes before tool calls.",
      tags: TAGS,
      querystring: () => listSessionsQuerySchema,
      response: { 200: () => sessionListSchema, ...readProblems() },
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
      summary: "Get a session with its repository and its messages",
      description:
        "An event stream that starts at `lastEventId` continues this reply without a gap. The ETag is " +
        "the version for If-Match; streamed text does not change it. If the stored data is damaged, " +
        "the reply is `row_unreadable` with the column and the error: read it at `/raw`, or delete " +
        "the session. Unreadable messages are left out.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      querystring: () => sessionQuerySchema,
      response: { 200: () => wholeSessionSchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params: { id: sessionId }, query }, reply) => {
      const format = MESSAGE_JSON;
      const whole = await runtime.readSessionJson({ sessionId, format, ...defined(query) });
      if (!whole.ok) return sendRefusal(reply, whole);
      return sendJson(reply.header("etag", toEtag(whole.session.version)), sessionJson(whole));
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/raw",
    schema: {
      operationId: "getRawSession",
      summary: "Get the stored data of a session",
      description: "For operators. Also works for sessions, messages and runs that cannot be read.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      response: { 200: () => rawSessionSchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await runtime.readRaw(params.id), ({ raw }) => toWireRaw(raw)),
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/options",
    schema: {
      operationId: "getOptions",
      summary: "List what the agent of the next message lets you choose",
      description:
        "Mode, model and all other options, with the values of the next message. Before the first agent of the session " +
        "is started, the list is what the last agent of the provider offered.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      response: { 200: () => optionsReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await runtime.readOptions(params.id), toWireOptions),
  });

  app.route({
    method: "PATCH",
    url: "/api/sessions/:id",
    schema: {
      operationId: "updateSession",
      summary:
        "Change the title, metadata, phase, delivery policy, preferred agent, mode, options or connections of a session",
      tags: TAGS,
      params: () => sessionParamsSchema,
      headers: () => ifMatchSchema,
      body: () => updateSessionRequestSchema,
      response: changedSession(
        "mcp_server_invalid",
        "metadata_invalid",
        "path_not_found",
        "path_outside_root",
        "phase_final",
        "provider_unknown",
        "session_archived",
        "session_failed",
        "setting_not_offered",
      ),
    },
    handler: async (request, reply) => {
      const problem = aboutChanges(request);
      if (problem !== null) return sendProblem(reply, problem);
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
      summary: "Delete a session permanently, in any state",
      description:
        "Cancels the current run and deletes the history. The reply is the session before its deletion. " +
        "For an unreadable session, the reply has the readable fields, and `failure` has the error.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      querystring: () => deleteSessionQuerySchema,
      headers: () => ifMatchSchema,
      response: { ...changedSession(), 200: () => deleteSessionReplySchema },
    },
    handler: async (request, reply) => {
      const isAlong = request.query.agentSessions === "delete";
      const deleted = await runtime.deleteSession({
        ...onSession(request),
        ...(isAlong && { agentSessions: true }),
        ...(request.query.worktree === "remove" && { forceWorktree: true }),
      });
      if (deleted.ok) reply.header("etag", toEtag(deleted.session.version));
      return sendReply(reply, deleted, toWireDeleted);
    },
  });
}
