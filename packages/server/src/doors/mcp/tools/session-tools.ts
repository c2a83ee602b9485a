import { defined } from "@holdfast/client";
import {
  LIMITS,
  PHASES,
  phaseSchema,
  resumeDecisionSchema,
  stateSchema,
  statusSchema,
} from "@holdfast/protocol";
import { z } from "zod";
import { historyText } from "../history-text.ts";
import { questionSchema } from "../run-result.ts";
import { isForPeople, questionOf } from "../questions.ts";
import { defineTool, type Tool } from "../surface.ts";
import { CHANGES, PAGE, READS, SESSION } from "./arguments.ts";
import { dataResult, summaryOf, summarySchema, withoutNull } from "./session-summary.ts";

const pageSchema = z.object({
  sessions: z.array(summarySchema.extend({ excerpt: z.string().optional() })),
  total: z.number(),
  nextCursor: z.string().optional(),
});

/** Finding and reading sessions. */
export const sessionTools: readonly Tool[] = [
  defineTool({
    name: "list_sessions",
    title: "List sessions",
    description:
      "List sessions, the one with the latest turn first. Without a status, active and suspended ones.",
    input: z.object({
      status: z.array(statusSchema).optional(),
      state: z.array(stateSchema).optional(),
      phase: phaseSchema.optional(),
      repository: z.string().optional().describe("ID of a repository, from list_repositories"),
      agent_name: z.string().max(LIMITS.nameLength).optional(),
      ...PAGE,
    }),
    output: pageSchema,
    annotations: READS,
    scope: "read",
    isForAll: true,
    async call({ repository, agent_name: agent, ...query }, { caller, signal }) {
      const given = defined({ ...query, agent, repoId: repository, order: "turn" as const });
      const page = await caller.ask(({ sessions }) => sessions.list(given, { signal }), signal);
      const { sessions, total, nextCursor } = page;
      return dataResult({
        sessions: sessions.map(summaryOf),
        total,
        ...withoutNull({ nextCursor }),
      });
    },
  }),

  defineTool({
    name: "search_sessions",
    title: "Search sessions",
    description:
      "Find sessions by words of their messages, title or purpose, in any status. Each word matches as a prefix.",
    input: z.object({ query: z.string().min(1).max(LIMITS.searchLength), ...PAGE }),
    output: pageSchema,
    annotations: READS,
    scope: "read",
    isForAll: true,
    async call({ query: q, ...page }, { caller, signal }) {
      const status = [...statusSchema.options];
      const query = defined({ ...page, q, status });
      const found = await caller.ask(({ sessions }) => sessions.list(query, { signal }), signal);
      const excerpts = new Map(found.hits?.map(({ sessionId, text }) => [sessionId, text]));
      const sessions = found.sessions.map((session) => ({
        ...summaryOf(session),
        ...defined({ excerpt: excerpts.get(session.id) }),
      }));
      const { total, nextCursor } = found;
      return dataResult({ sessions, total, ...withoutNull({ nextCursor }) });
    },
  }),

  defineTool({
    name: "get_session",
    title: "Look at a session",
    description: "What is going on in a session now, and what it waits for.",
    input: z.object({ session: SESSION }),
    output: summarySchema.extend({ summary: z.string().optional() }),
    annotations: READS,
    scope: "read",
    isForAll: false,
    async call({ session: id }, { caller, signal }) {
      const session = await caller.ask(
        ({ sessions }) => sessions.get(id, { tail: 1, signal }),
        signal,
      );
      const { summary } = session;
      return dataResult({ ...summaryOf(session), ...withoutNull({ summary }) });
    },
  }),

  defineTool({
    name: "read_history",
    title: "Read the history of a session",
    description:
      "Read messages of a session as text: the newest ones, those after a number, or those that contain a text.",
    input: z.object({
      session: SESSION,
      limit: z.number().int().min(1).max(LIMITS.historyEntries).default(20),
      after: z.number().int().nonnegative().optional().describe("only messages after this number"),
      search: z.string().min(1).max(LIMITS.searchLength).optional(),
    }),
    annotations: READS,
    scope: "read",
    isForAll: false,
    async call({ session, ...query }, { caller, signal }) {
      const history = await caller.ask(
        ({ sessions }) => sessions.history(session, defined(query), { signal }),
        signal,
      );
      const text = historyText(history, { isAfter: query.after !== undefined });
      return { content: [{ type: "text", text }] };
    },
  }),

  defineTool({
    name: "list_questions",
    title: "List open questions",
    description: "Everything in all sessions that waits for the answer of a person, oldest first.",
    input: z.object({}),
    output: z.object({ questions: z.array(questionSchema.extend({ session: z.string() })) }),
    annotations: READS,
    scope: "read",
    isForAll: true,
    async call(_args, { caller, signal }) {
      const { suspensions } = await caller.ask((client) => client.suspensions({ signal }), signal);
      const questions = suspensions
        .filter(isForPeople)
        .map((suspension) => ({ session: suspension.sessionId, ...questionOf(suspension) }));
      return dataResult({ questions });
    },
  }),

  defineTool({
    name: "should_resume",
    title: "Should a session be resumed?",
    description: "Decide whether to go on with a session or to create a new one, with the reason.",
    input: z.object({ session: SESSION }),
    // Without the name that the API gives it: clients want an object here, not a reference.
    output: z.object(resumeDecisionSchema.shape),
    annotations: READS,
    scope: "read",
    isForAll: false,
    async call({ session }, { caller, signal }) {
      const decision = await caller.ask(
        ({ sessions }) => sessions.shouldResume(session, undefined, { signal }),
        signal,
      );
      return dataResult(decision);
    },
  }),

  defineTool({
    name: "set_phase",
    title: "Set the phase",
    description:
      "Report the kind of work in a session, for the people who watch. It has no effect on the agent. The last three are final.",
    input: z.object({ session: SESSION, phase: z.enum(PHASES) }),
    annotations: { ...CHANGES, idempotentHint: true },
    scope: "send",
    isForAll: false,
    async call({ session, phase }, { caller, signal }) {
      const idempotencyKey = caller.newKey();
      await caller.ask(
        ({ sessions }) => sessions.update(session, { phase }, { signal, idempotencyKey }),
        signal,
      );
      return { content: [{ type: "text", text: `The phase is now "${phase}".` }] };
    },
  }),
];
