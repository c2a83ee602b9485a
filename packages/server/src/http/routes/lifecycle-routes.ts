import {
  cancelRequestSchema,
  emptyRequestSchema,
  failRequestSchema,
  finalizeRequestSchema,
  forkRequestSchema,
  resumeDecisionSchema,
  resumeRequestSchema,
  sessionParamsSchema,
  sessionSchema,
  shouldResumeQuerySchema,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { App, AppServices } from "../app.ts";
import { authorOf } from "../guard/caller.ts";
import { fromWireJson, fromWireResumeQuery } from "../wire/from-wire.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";
import { changedSession, readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendNewSession, sendSession } from "../wire/send-reply.ts";
import { toWireResumeDecision } from "../wire/to-wire.ts";

const TAGS = ["lifecycle"];
const ON_SESSION = { tags: TAGS, params: () => sessionParamsSchema, headers: () => ifMatchSchema };

export function addLifecycleRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "POST",
    url: "/api/sessions/:id/cancel",
    schema: {
      ...ON_SESSION,
      operationId: "cancelRun",
      summary: "Cancel the current run",
      description:
        "The session becomes idle and continues with its next message. Cancelling an idle session " +
        "or a run that has ended changes nothing. A run that waits in the queue is not cancelled: withdraw its message.",
      body: () => cancelRequestSchema,
      response: changedSession(
        "run_not_current",
        "run_not_found",
        "session_archived",
        "session_failed",
      ),
    },
    handler: async (request, reply) => {
      const { runId, reason = `on request (${authorOf(request)})` } = request.body;
      const cancelled = { ...onSession(request), reason, ...defined({ runId }) };
      return sendSession(reply, await runtime.cancel(cancelled));
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/resume",
    schema: {
      ...ON_SESSION,
      operationId: "resumeSession",
      summary: "Resume a suspended session, or answer a suspension",
      description:
        "With `suspensionId` and `answer`, the run continues with the answer: the ID of a permission " +
        "option, `{action, content}` for an elicitation, a tool result, the payload of an event, or " +
        "text. The first answer counts; repeating it is not an error. Values of secret fields of a form are not stored. Without a body, a suspended session becomes active.",
      body: () => resumeRequestSchema,
      response: changedSession(
        "answer_invalid",
        "secret_undeliverable",
        "session_archived",
        "session_failed",
        "session_not_suspended",
        "suspension_answered",
        "suspension_not_found",
        "suspension_not_open",
      ),
    },
    handler: async (request, reply) => {
      const { suspensionId, answer } = request.body;
      const session = onSession(request);
      if (suspensionId === undefined) return sendSession(reply, await runtime.resume(session));
      const json = fromWireJson(answer);
      const by = authorOf(request);
      return sendSession(
        reply,
        await runtime.answer({ ...session, suspensionId, answer: json, by }),
      );
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/archive",
    schema: {
      ...ON_SESSION,
      operationId: "archiveSession",
      summary: "Archive a session permanently",
      body: () => emptyRequestSchema,
      response: changedSession("session_failed"),
    },
    handler: async (request, reply) =>
      sendSession(reply, await runtime.archive(onSession(request))),
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/finalize",
    schema: {
      ...ON_SESSION,
      operationId: "finalizeSession",
      summary: "Record the outcome of a session",
      body: () => finalizeRequestSchema,
      response: changedSession("phase_final", "session_archived", "session_failed"),
    },
    handler: async (request, reply) => {
      const { outcome, summary = null } = request.body;
      const finalize = { ...onSession(request), outcome, summary };
      return sendSession(reply, await runtime.finalize(finalize));
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/fail",
    schema: {
      ...ON_SESSION,
      operationId: "failSession",
      summary: "Mark a session as failed",
      description: "For operators. The status becomes `error`.",
      body: () => failRequestSchema,
      response: changedSession("session_archived"),
    },
    handler: async (request, reply) => {
      const { reason } = request.body;
      return sendSession(reply, await runtime.fail({ ...onSession(request), reason }));
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/fork",
    schema: {
      ...ON_SESSION,
      operationId: "forkSession",
      summary: "Fork a session: create an idle copy with its history up to a message",
      body: () => forkRequestSchema,
      response: {
        201: () => sessionSchema,
        ...writeProblems("message_not_found", "session_not_found", "version_mismatch"),
      },
    },
    handler: async (request, reply) => {
      const { atMessage = null } = request.body;
      return sendNewSession(reply, await runtime.fork({ ...onSession(request), atMessage }));
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/should-resume",
    schema: {
      operationId: "shouldResume",
      summary: "Check whether a session should be resumed",
      description:
        "Always answers 200; a missing session is one of the reasons. Five checks are always required. " +
        "`require` adds others, which are always listed.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      querystring: () => shouldResumeQuerySchema,
      response: { 200: () => resumeDecisionSchema, ...readProblems() },
    },
    handler: async ({ params, query }) =>
      toWireResumeDecision(await runtime.shouldResume(params.id, fromWireResumeQuery(query))),
  });
}
