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
import type { App, AppServices } from "../app.ts";
import { fromWireJson, fromWireResumeQuery } from "../wire/from-wire.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendNewSession, sendSession } from "../wire/send-session.ts";
import { toWireResumeDecision } from "../wire/to-wire.ts";

const TAGS = ["lifecycle"];
const ON_SESSION = { tags: TAGS, params: sessionParamsSchema, headers: ifMatchSchema };

export function addLifecycleRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "POST",
    url: "/api/sessions/:id/cancel",
    schema: {
      ...ON_SESSION,
      operationId: "cancelRun",
      summary: "Cancel the current run",
      description:
        "The session is idle afterwards and goes on with the next message. Cancelling an idle " +
        "session changes nothing.",
      body: cancelRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems(
          "session_archived",
          "session_failed",
          "session_not_found",
          "version_mismatch",
        ),
      },
    },
    handler: async (request, reply) => {
      const reason = request.body.reason ?? "asked to";
      return sendSession(reply, await runtime.cancel({ ...onSession(request), reason }));
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/resume",
    schema: {
      ...ON_SESSION,
      operationId: "resumeSession",
      summary: "Make a suspended session active, or give the answer a run waits for",
      description:
        "With `suspensionId` and `answer`, the run goes on with it: the id of a permission's option, " +
        "a tool's result, the payload of an event, a text. The first answer wins; the same one again " +
        "is no error. Without a body, a session that a restart suspended becomes active.",
      body: resumeRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems(
          "answer_invalid",
          "session_archived",
          "session_failed",
          "session_not_found",
          "session_not_suspended",
          "suspension_answered",
          "suspension_not_found",
          "suspension_not_open",
          "version_mismatch",
        ),
      },
    },
    handler: async (request, reply) => {
      const { suspensionId, answer } = request.body;
      const session = onSession(request);
      if (suspensionId === undefined) return sendSession(reply, await runtime.resume(session));
      const { tokenName } = request;
      const by = tokenName === null ? null : `token: ${tokenName}`;
      const given = { suspensionId, answer: fromWireJson(answer), by };
      return sendSession(reply, await runtime.answer({ ...session, ...given }));
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/archive",
    schema: {
      ...ON_SESSION,
      operationId: "archiveSession",
      summary: "Put a session away, for good",
      body: emptyRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems("session_failed", "session_not_found", "version_mismatch"),
      },
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
      summary: "Say how the work ended",
      body: finalizeRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems(
          "phase_final",
          "session_archived",
          "session_failed",
          "session_not_found",
          "version_mismatch",
        ),
      },
    },
    handler: async (request, reply) => {
      const { outcome, summary = null } = request.body;
      return sendSession(
        reply,
        await runtime.finalize({ ...onSession(request), outcome, summary }),
      );
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/fail",
    schema: {
      ...ON_SESSION,
      operationId: "failSession",
      summary: "Declare that a session cannot go on",
      description: "For operators. Its status is `error` from then on.",
      body: failRequestSchema,
      response: {
        200: sessionSchema,
        ...writeProblems("session_archived", "session_not_found", "version_mismatch"),
      },
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
      summary: "A new idle session with the history up to a message",
      body: forkRequestSchema,
      response: {
        201: sessionSchema,
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
      summary: "Should an orchestrator take this session up again?",
      description:
        "Always answered: that there is no such session is one of the reasons not to. Five checks " +
        "always count; `require` names further ones, which are shown in any case.",
      tags: TAGS,
      params: sessionParamsSchema,
      querystring: shouldResumeQuerySchema,
      response: { 200: resumeDecisionSchema, ...readProblems() },
    },
    handler: async ({ params, query }) =>
      toWireResumeDecision(await runtime.shouldResume(params.id, fromWireResumeQuery(query))),
  });
}
