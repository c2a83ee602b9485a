import {
  createSessionReplySchema,
  createSessionRequestSchema,
  listSessionsQuerySchema,
  sessionListSchema,
  sessionParamsSchema,
  sessionSchema,
  toEtag,
  updateSessionRequestSchema,
  wholeSessionSchema,
  type ListSessionsQuery,
  type UpdateSessionRequest,
} from "@holdfast/protocol";
import { STATUS_RULES, STATUSES } from "../domain/status.ts";
import type { SessionQuery, UpdateSession } from "../runtime/runtime.ts";
import type { App, AppServices } from "./build-app.ts";
import {
  fromCursor,
  fromWireContent,
  fromWireJsonObject,
  fromWireTime,
  toCursor,
} from "./from-wire.ts";
import { idempotencyOf, idempotencySchema, ifMatchSchema, onSession } from "./preconditions.ts";
import { readProblems, writeProblems } from "./problem-responses.ts";
import { sendRefusal } from "./send-problem.ts";
import { newSessionHeaders, sendSession } from "./send-session.ts";
import { toWireSent, toWireSession, toWireWholeSession } from "./to-wire.ts";

const TAGS = ["sessions"];
const LISTED = STATUSES.filter((status) => STATUS_RULES[status].listed);

export function addSessionRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
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
        ),
      },
    },
    handler: async (request, reply) => {
      const { body } = request;
      const message = typeof body.message === "string" ? { text: body.message } : body.message;
      const created = await runtime.createSession({
        repoId: body.repoId ?? null,
        title: body.title ?? null,
        provider: body.provider ?? null,
        model: body.model ?? null,
        agentName: body.agentName ?? null,
        purpose: body.purpose ?? null,
        metadata: fromWireJsonObject(body.metadata ?? {}),
        message: message === undefined ? null : fromWireContent(message),
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
        "and stays steady while sessions are added; `offset` is for short lists.",
      tags: TAGS,
      querystring: listSessionsQuerySchema,
      response: { 200: sessionListSchema, ...readProblems() },
    },
    handler: async ({ query }) => {
      const page = await runtime.listSessions(toQuery(query));
      return {
        sessions: page.sessions.map(toWireSession),
        total: page.total,
        limit: query.limit,
        offset: query.offset,
        nextCursor: page.next === null ? null : toCursor(page.next),
        counts: page.counts,
      };
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
        "version of the session for If-Match; it does not change with text that an agent streams.",
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
        ...toUpdate(request.body),
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
      description: "Its run is cancelled and its history gone; the reply is the session as it was.",
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

function toQuery(query: ListSessionsQuery): SessionQuery {
  const { repoId, status, state, phase, agent, q, from, to, limit, offset, cursor } = query;
  return {
    statuses: status ?? LISTED,
    limit,
    ...(repoId !== undefined && { repoId }),
    ...(state !== undefined && { states: state }),
    ...(phase !== undefined && { phase }),
    ...(agent !== undefined && { agentName: agent }),
    ...(q !== undefined && { search: q }),
    ...(from !== undefined && { from: fromWireTime(from) }),
    ...(to !== undefined && { to: fromWireTime(to) }),
    ...(cursor === undefined ? { offset } : { after: fromCursor(cursor) }),
  };
}

function toUpdate(body: UpdateSessionRequest): Pick<UpdateSession, "changes" | "phase" | "error"> {
  const { title, metadata, phase, error, delivery, provider, model } = body;
  return {
    changes: {
      ...(title !== undefined && { title }),
      ...(metadata !== undefined && { metadata: fromWireJsonObject(metadata) }),
      ...(delivery !== undefined && { delivery }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
    },
    ...(phase !== undefined && { phase }),
    ...(error !== undefined && { error }),
  };
}
