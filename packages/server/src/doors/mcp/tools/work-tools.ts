import { defined, HoldfastError } from "@holdfast/client";
import {
  DELIVERY_MODES,
  LIMITS,
  type CreateSessionRequest,
  type Repository,
  type Session,
} from "@holdfast/protocol";
import { z } from "zod";
import { answerOf, isForPeople } from "../questions.ts";
import { runResultSchema } from "../run-result.ts";
import { cancelRun } from "../runs.ts";
import { defineTool, RunOutcome, type Call, type Tool } from "../surface.ts";
import { CHANGES, MESSAGE, READS, RUN, SESSION, WAIT_SECONDS, WORKS } from "./arguments.ts";
import { dataResult, summaryOf, summarySchema } from "./session-summary.ts";

const AGENT = z
  .string()
  .max(LIMITS.nameLength)
  .optional()
  .describe("name of the agent, from list_agents; by default the one of the session or the server");
const MODEL = z.string().max(LIMITS.nameLength).optional();

/** Giving work to agents. */
export const workTools: readonly Tool[] = [
  defineTool({
    name: "list_agents",
    title: "List agents",
    description: "The agents that can work in sessions.",
    input: z.object({}),
    output: z.object({
      agents: z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          installed: z.boolean(),
          models: z.array(z.string()),
          isDefault: z.boolean(),
        }),
      ),
    }),
    annotations: READS,
    scope: "read",
    isForAll: true,
    async call(_args, { caller, signal }) {
      const reply = await caller.ask((client) => client.providers({ signal }), signal);
      const agents = reply.providers.map(({ name, title, installed, models }) => ({
        name,
        title,
        installed,
        models: models.map(({ id }) => id),
        isDefault: name === reply.defaultProvider,
      }));
      return dataResult({ agents });
    },
  }),

  defineTool({
    name: "list_repositories",
    title: "List repositories",
    description: "The Git repositories that sessions can work in.",
    input: z.object({}),
    output: z.object({
      repositories: z.array(z.object({ id: z.string(), name: z.string(), path: z.string() })),
    }),
    annotations: READS,
    scope: "read",
    isForAll: true,
    async call(_args, { caller, signal }) {
      const { repos } = await caller.ask((client) => client.repos.list({ signal }), signal);
      return dataResult({
        repositories: repos.map(({ id, name, path }) => ({ id, name, path })),
      });
    },
  }),

  defineTool({
    name: "create_session",
    title: "Create a session",
    description:
      "Create a session in a repository, and give it a first message if there is one. It returns at once: wait returns the answer.",
    input: z.object({
      repository: z
        .string()
        .optional()
        .describe(
          "ID, name or path of a repository; needed for messages, unless there is only one",
        ),
      message: MESSAGE.optional().describe("the first message to the agent"),
      agent: AGENT,
      model: MODEL,
      title: z.string().max(LIMITS.titleLength).optional(),
      purpose: z.string().max(LIMITS.purposeLength).optional(),
      agent_id: z.string().optional().describe("your own unique ID for the session"),
      agent_name: z.string().max(LIMITS.nameLength).optional(),
      workspace: z
        .enum(["shared", "worktree"])
        .optional()
        .describe(
          "worktree: a Git worktree and branch of its own, so that sessions do not disturb each other",
        ),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
    output: summarySchema.extend({ run: z.string().optional().describe("ID of the first run") }),
    annotations: WORKS,
    scope: "send",
    isForAll: true,
    async call({ repository, agent, agent_id: agentId, agent_name: agentName, ...given }, call) {
      const { caller, signal } = call;
      const repo = await findRepository(repository, call);
      if (repo === "unknown")
        return failure(
          `There is no repository ${JSON.stringify(repository)}. list_repositories lists them.`,
        );
      const body: CreateSessionRequest = defined({
        ...given,
        provider: agent,
        agentId,
        agentName,
        repoId: repo?.id,
      });
      const idempotencyKey = caller.newKey();
      const created = await caller.ask(
        ({ sessions }) => sessions.create(body, { signal, idempotencyKey }),
        signal,
      );
      const run = created.sent?.run.id;
      return dataResult({ ...summaryOf(created), ...defined({ run }) });
    },
  }),

  defineTool({
    name: "send_message",
    title: "Send a message",
    description:
      "Send a message to the agent of a session, and return its answer. If it is not there in time, wait goes on waiting; the agent works on.",
    input: z.object({
      session: SESSION,
      text: MESSAGE,
      agent: AGENT,
      model: MODEL,
      delivery: z
        .enum(DELIVERY_MODES)
        .default("queue")
        .describe(
          "what to do if the session is busy; interrupt cancels its run, steer gives the message to the working agent",
        ),
      wait_seconds: WAIT_SECONDS,
    }),
    output: runResultSchema,
    annotations: WORKS,
    scope: "send",
    isForAll: false,
    async call({ session, agent, wait_seconds: seconds, ...given }, { caller, signal }) {
      const idempotencyKey = caller.newKey();
      const body = defined({ ...given, provider: agent });
      const { run } = await caller.ask(
        ({ sessions }) => sessions.send(session, body, { signal, idempotencyKey }),
        signal,
      );
      return new RunOutcome({ sessionId: run.sessionId, runId: run.id }, seconds * 1_000);
    },
  }),

  defineTool({
    name: "wait",
    title: "Wait for an answer",
    description:
      "Wait until a run has ended, and return what the agent said. Without a run, the current or the last one of the session.",
    input: z.object({
      session: SESSION,
      run: RUN.optional().describe("ID of the run, from send_message or create_session"),
      wait_seconds: WAIT_SECONDS,
    }),
    output: runResultSchema,
    annotations: READS,
    scope: "read",
    isForAll: false,
    async call({ session, run, wait_seconds: seconds }, call) {
      const found = run === undefined ? await latestRun(session, call) : { id: run };
      if (found === null) return failure("The session has no run yet. send_message starts one.");
      return new RunOutcome({ sessionId: session, runId: found.id }, seconds * 1_000);
    },
  }),

  defineTool({
    name: "cancel",
    title: "Cancel a run",
    description:
      "Stop the agent of a session, or only one run of it. The session goes on with its next message.",
    input: z.object({
      session: SESSION,
      run: RUN.optional().describe("only this run, at work or in the queue"),
      reason: z.string().min(1).max(LIMITS.reasonLength).default("cancelled by an MCP client"),
    }),
    annotations: { ...CHANGES, destructiveHint: true },
    scope: "send",
    isForAll: false,
    async call({ session, run, reason }, { caller, signal }) {
      if (run === undefined) {
        const idempotencyKey = caller.newKey();
        await caller.ask(
          ({ sessions }) => sessions.cancel(session, { reason }, { signal, idempotencyKey }),
          signal,
        );
      } else await cancelRun(caller, { sessionId: session, runId: run }, { reason, signal });
      return { content: [{ type: "text", text: "Cancelled." }] };
    },
  }),

  defineTool({
    name: "answer",
    title: "Answer a question",
    description:
      "Answer a question of an agent for the people: a permission, a form or a free question. The first answer counts.",
    input: z.object({
      session: SESSION,
      question: RUN.optional().describe("ID of the question; needed if several are open"),
      answer: z
        .union([z.string(), z.record(z.string(), z.unknown())])
        .describe(
          "the ID or the name of an option, the values of a form by field, or any text for a free question",
        ),
    }),
    annotations: WORKS,
    scope: "approve",
    isForAll: false,
    async call({ session: id, question, answer }, { caller, signal }) {
      const { suspensions } = await caller.ask(
        ({ sessions }) => sessions.get(id, { tail: 1, signal }),
        signal,
      );
      const open = suspensions.filter(isAnswerable);
      const found =
        question === undefined && open.length === 1
          ? open[0]
          : open.find((suspension) => suspension.id === question);
      if (found === undefined)
        return failure(
          open.length === 0
            ? "The session waits for no answer. The question may have been answered already."
            : `Name one of the open questions: ${open.map((suspension) => suspension.id).join(", ")}.`,
        );
      const body = { suspensionId: found.id, answer: answerOf(found, answer) };
      const idempotencyKey = caller.newKey();
      await caller.ask(
        ({ sessions }) => sessions.answer(id, body, { signal, idempotencyKey }),
        signal,
      );
      return { content: [{ type: "text", text: "The answer is stored, and the run goes on." }] };
    },
  }),
];

/** A program may also give the result of a tool, or report an event to one session. */
function isAnswerable(suspension: Session["suspensions"][number]): boolean {
  return (
    isForPeople(suspension) || suspension.kind === "tool_result" || suspension.kind === "event"
  );
}

function failure(text: string) {
  return { isError: true, content: [{ type: "text" as const, text }] };
}

/** The named repository, or the only one; null if nothing was named and there are several or none. */
async function findRepository(
  name: string | undefined,
  { caller, signal }: Call,
): Promise<Repository | "unknown" | null> {
  const { repos } = await caller.ask((client) => client.repos.list({ signal }), signal);
  if (name === undefined) return repos.length === 1 ? (repos[0] ?? null) : null;
  const named = repos.filter(
    (repo) => repo.id === name || repo.path === name || repo.name === name,
  );
  if (named.length === 1) return named[0] ?? null;
  if (named.length > 1 || !name.startsWith("/")) return "unknown";
  return addRepository(name, { caller, signal });
}

/** A path that is not known yet is added, if the token may do that. */
async function addRepository(
  path: string,
  { caller, signal }: Pick<Call, "caller" | "signal">,
): Promise<Repository | "unknown"> {
  try {
    return await caller.ask((client) => client.repos.add({ path }, { signal }), signal);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "forbidden") return "unknown";
    throw error;
  }
}

async function latestRun(
  session: string,
  { caller, signal }: Call,
): Promise<{ readonly id: string } | null> {
  const current = await caller.ask(
    ({ sessions }) => sessions.get(session, { tail: 50, signal }),
    signal,
  );
  const last = current.messages.findLast(({ runId }) => runId !== null)?.runId ?? null;
  return last === null ? null : { id: last };
}
