import {
  emptyRequestSchema,
  eventParamsSchema,
  grantParamsSchema,
  grantsReplySchema,
  reportEventReplySchema,
  reportEventRequestSchema,
  runParamsSchema,
  sessionParamsSchema,
  suspensionsReplySchema,
  type GrantsReply,
  type SuspensionsReply,
} from "@holdfast/protocol";
import type { PermissionGrant } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import { authorOf } from "../guard/caller.ts";
import { fromWireJson } from "../wire/from-wire.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";
import { sendReply } from "../wire/send-reply.ts";
import {
  toWireGrant,
  toWireReportedEvent,
  toWireSuspension,
  toWireUnusedAnswer,
} from "../wire/to-wire.ts";

const TAGS = ["suspensions"];

export function addSuspensionRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  const readInbox = async (): Promise<SuspensionsReply> => ({
    suspensions: (await runtime.listSuspensions()).map(toWireSuspension),
    unusedAnswers: (await runtime.listUnusedAnswers()).map(toWireUnusedAnswer),
  });

  app.route({
    method: "GET",
    url: "/api/suspensions",
    schema: {
      operationId: "listSuspensions",
      summary: "List everything that waits for an answer (the inbox)",
      description:
        "Answer with `POST /api/sessions/{sessionId}/resume`. `unusedAnswers` lists actions that were " +
        "allowed but not carried out, until they are dismissed or the session receives its next " +
        "message.",
      tags: TAGS,
      response: { 200: () => suspensionsReplySchema, ...readProblems() },
    },
    handler: readInbox,
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/runs/:runId/dismiss",
    schema: {
      operationId: "dismissUnusedAnswers",
      summary: "Dismiss the unused answers of a run",
      description: "They disappear from the inbox, but stay in the run. The reply is the inbox.",
      tags: TAGS,
      params: () => runParamsSchema,
      body: () => emptyRequestSchema,
      response: {
        200: () => suspensionsReplySchema,
        ...writeProblems("run_not_found", "session_not_found"),
      },
    },
    handler: async ({ params: { id: sessionId, runId } }, reply) => {
      const dismissed = await runtime.dismissUnused({ sessionId, runId });
      if (!dismissed.ok) return sendRefusal(reply, dismissed);
      return reply.code(200).send(await readInbox());
    },
  });

  app.route({
    method: "POST",
    url: "/api/events/:name",
    schema: {
      operationId: "reportEvent",
      summary: "Report an event to all sessions that wait for it",
      description:
        "`answer` is the payload of the event. The reply lists the sessions that waited. If one of them " +
        "cannot be answered, its entry has the problem, and the others continue. Report the event " +
        "again to reach sessions that still wait.",
      tags: TAGS,
      params: () => eventParamsSchema,
      body: () => reportEventRequestSchema,
      response: { 200: () => reportEventReplySchema, ...writeProblems() },
    },
    handler: async (request, reply) => {
      const { name } = request.params;
      const answer = fromWireJson(request.body.answer ?? null);
      const report = await runtime.reportEvent({ name, answer, by: authorOf(request) });
      if (!report.ok) return sendRefusal(reply, report);
      const sessions = report.reported.map(toWireReportedEvent);
      const answered = sessions.filter((session) => session.answered).length;
      return reply.code(200).send({ event: name, answered, sessions });
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/grants",
    schema: {
      operationId: "listGrants",
      summary: "List the permissions granted or denied for the rest of the session",
      description:
        "A permission answered with an `…_always` option is not asked again in the session, whichever " +
        "agent asks. The permission policy still applies.",
      tags: TAGS,
      params: () => sessionParamsSchema,
      response: { 200: () => grantsReplySchema, ...readProblems("session_not_found") },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await runtime.listGrants(params.id), toGrants),
  });

  app.route({
    method: "DELETE",
    url: "/api/sessions/:id/grants/:grantId",
    schema: {
      operationId: "revokeGrant",
      summary: "Revoke a grant",
      description:
        "The permission is asked again from now on. The reply lists the remaining grants.",
      tags: TAGS,
      params: () => grantParamsSchema,
      headers: () => ifMatchSchema,
      response: {
        200: () => grantsReplySchema,
        ...writeProblems("grant_not_found", "session_not_found", "version_mismatch"),
      },
    },
    handler: async (request, reply) => {
      const { grantId } = request.params;
      const remaining = await runtime.revokeGrant({ ...onSession(request), grantId });
      return sendReply(reply, remaining, toGrants);
    },
  });
}

function toGrants({ grants }: { readonly grants: readonly PermissionGrant[] }): GrantsReply {
  return { grants: grants.map(toWireGrant) };
}
