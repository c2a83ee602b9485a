import {
  emptyRequestSchema,
  eventParamsSchema,
  reportEventReplySchema,
  reportEventRequestSchema,
  runParamsSchema,
  suspensionsReplySchema,
  type SuspensionsReply,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { fromWireJson } from "../wire/from-wire.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireReportedEvent, toWireSuspension, toWireUnusedAnswer } from "../wire/to-wire.ts";

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
      response: { 200: suspensionsReplySchema, ...readProblems() },
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
      params: runParamsSchema,
      body: emptyRequestSchema,
      response: {
        200: suspensionsReplySchema,
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
      params: eventParamsSchema,
      body: reportEventRequestSchema,
      response: { 200: reportEventReplySchema, ...writeProblems() },
    },
    handler: async ({ params: { name }, body, tokenName }, reply) => {
      const by = tokenName === null ? null : `token: ${tokenName}`;
      const answer = fromWireJson(body.answer ?? null);
      const report = await runtime.reportEvent({ name, answer, by });
      if (!report.ok) return sendRefusal(reply, report);
      const sessions = report.reported.map(toWireReportedEvent);
      const answered = sessions.filter((session) => session.answered).length;
      return reply.code(200).send({ event: name, answered, sessions });
    },
  });
}
