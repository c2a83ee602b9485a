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
      summary: "The inbox: everything anywhere that waits for an answer",
      description:
        "Answer with `POST /api/sessions/{sessionId}/resume`. `unusedAnswers` lists actions that were " +
        "allowed and that the agent has not done, until they are dismissed or the session is sent " +
        "its next message.",
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
      summary: "Take a run's unused answers out of the inbox",
      description: "The run keeps them. The reply is the inbox afterwards.",
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
      summary: "Report an event: every session that waits for it goes on",
      description:
        "`answer` is what the event brings. The reply says which sessions waited for it. One that could " +
        "not be answered says why, and the others are answered all the same; reported again, the " +
        "event reaches those that still wait.",
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
