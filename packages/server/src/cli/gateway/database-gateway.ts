import { defined } from "../../domain/defined.ts";
import { HoldfastError } from "@holdfast/client";
import {
  addRepositoryRequestSchema,
  createSessionRequestSchema,
  drainNodeRequestSchema,
  finalizeRequestSchema,
  listSessionsQuerySchema,
  removedQuerySchema,
  sendMessageRequestSchema,
  shouldResumeQuerySchema,
  statsQuerySchema,
  updateSessionRequestSchema,
} from "@holdfast/protocol";
import type { z } from "zod";
import {
  fromWireContent,
  fromWireCreate,
  fromWireJson,
  fromWireQuery,
  fromWireResumeQuery,
  fromWireTime,
  fromWireUpdate,
} from "../../http/wire/from-wire.ts";
import {
  toWireNode,
  toWireProvider,
  toWireRemoved,
  toWireRaw,
  toWireRepo,
  toWireResumeDecision,
  toWireSent,
  toWireSession,
  toWireSessionList,
  toWireStats,
  toWireSuspension,
  toWireUnusedAnswer,
  toWireWholeSession,
} from "../../http/wire/to-wire.ts";
import type { Offline } from "../../runtime/open-offline.ts";
import type { Requests } from "../../runtime/requests/requests.ts";
import type { Reply } from "../../runtime/reply.ts";
import type { SessionGateway } from "./session-gateway.ts";

/** Straight on the database: what a server would answer, without one. */
export function databaseGateway(requests: Offline, close: () => Promise<void>): SessionGateway {
  const idOf = async (name: string): Promise<string> => (await requests.findSession(name)) ?? name;
  const act = async (
    name: string,
    ask: (sessionId: string) => ReturnType<Requests["archive"]>,
  ): Promise<ReturnType<typeof toWireSession>> =>
    toWireSession(given(await ask(await idOf(name))).session);
  const readInbox: SessionGateway["suspensions"] = async () => ({
    suspensions: (await requests.listSuspensions()).map(toWireSuspension),
    unusedAnswers: (await requests.listUnusedAnswers()).map(toWireUnusedAnswer),
  });

  return {
    server: null,
    close,
    sessions: {
      create: async (request = {}) => {
        const wish = checked(createSessionRequestSchema, request);
        const { session, sent } = given(
          await requests.createSession({ ...fromWireCreate(wish), idempotency: null }),
        );
        return { ...toWireSession(session), sent: sent === null ? null : toWireSent(sent) };
      },
      list: async (query = {}) => {
        const wish = listSessionsQuerySchema.safeParse({
          ...query,
          status: query.status?.join(","),
          state: query.state?.join(","),
        });
        if (!wish.success) throw invalid(wish.error);
        return toWireSessionList(await requests.listSessions(fromWireQuery(wish.data)), wish.data);
      },
      get: async (name) =>
        toWireWholeSession(given(await requests.readWholeSession(await idOf(name)))),
      raw: async (name) => toWireRaw(given(await requests.readRaw(await idOf(name))).raw),
      update: (name, changes) =>
        act(name, (sessionId) =>
          requests.updateSession({
            sessionId,
            ...fromWireUpdate(checked(updateSessionRequestSchema, changes)),
          }),
        ),
      delete: (name) => act(name, (sessionId) => requests.deleteSession({ sessionId })),
      cancel: (name, { reason = "Cancelled on the command line." } = {}) =>
        act(name, (sessionId) => requests.cancel({ sessionId, reason })),
      resume: (name) => act(name, (sessionId) => requests.resume({ sessionId })),
      answer: (name, { suspensionId, answer }) =>
        act(name, (sessionId) =>
          requests.answer({ sessionId, suspensionId, answer: fromWireJson(answer), by: null }),
        ),
      archive: (name) => act(name, (sessionId) => requests.archive({ sessionId })),
      finalize: (name, request) =>
        act(name, (sessionId) => {
          const { outcome, summary = null } = checked(finalizeRequestSchema, request);
          return requests.finalize({ sessionId, outcome, summary });
        }),
      fork: (name, { atMessage = null } = {}) =>
        act(name, (sessionId) => requests.fork({ sessionId, atMessage })),
      send: async (name, message) => {
        const wish = checked(sendMessageRequestSchema, message);
        const { provider = null, model = null, delivery, continuity, ...said } = wish;
        const sent = await requests.sendMessage({
          sessionId: await idOf(name),
          content: fromWireContent(said),
          provider,
          model,
          delivery,
          continuity,
          idempotency: null,
        });
        return toWireSent(given(sent).sent);
      },
      shouldResume: async (name, query = {}) => {
        const wish = shouldResumeQuerySchema.safeParse({
          ...query,
          require: query.require?.join(","),
        });
        if (!wish.success) throw invalid(wish.error);
        return toWireResumeDecision(
          await requests.shouldResume(await idOf(name), fromWireResumeQuery(wish.data)),
        );
      },
      export: async function* (name) {
        yield* given(await requests.exportSession(await idOf(name))).lines;
      },
      importLines: async (lines) =>
        toWireSession(given(await requests.importSession(lines)).session),
    },
    repos: {
      list: async () => ({ repos: (await requests.listRepos()).map(toWireRepo) }),
      add: async (request) => {
        const { path, name = null, label } = checked(addRepositoryRequestSchema, request);
        return toWireRepo(given(await requests.addRepo(defined({ path, name, label }))).repo);
      },
      remove: async (id) => toWireRepo(given(await requests.removeRepo(id)).repo),
    },
    nodes: {
      list: async () => ({
        nodes: (await requests.listNodes()).map((node) => toWireNode(node, { self: null })),
      }),
      drain: async (name, request = {}) => {
        const { draining } = checked(drainNodeRequestSchema, request);
        const { node } = given(await requests.drainNode({ name, draining }));
        return toWireNode(node, { self: null });
      },
    },
    removed: {
      list: async (query = {}) =>
        toWireRemoved(await requests.listRemoved(checked(removedQuerySchema, query))),
      restore: async (id) => toWireSession(given(await requests.restoreRemoved(id)).session),
    },
    suspensions: readInbox,
    dismissUnused: async (name, runId) => {
      given(await requests.dismissUnused({ sessionId: await idOf(name), runId }));
      return readInbox();
    },
    providers: async () => {
      const { providers, defaultProvider } = await requests.listProviders();
      return { providers: providers.map(toWireProvider), defaultProvider };
    },
    stats: async (query = {}) => {
      const { from, to } = checked(statsQuerySchema, query);
      return toWireStats(
        await requests.stats({
          ...(from !== undefined && { from: fromWireTime(from) }),
          ...(to !== undefined && { to: fromWireTime(to) }),
        }),
      );
    },
  };
}

/** The same checks that a server makes. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

function invalid({ issues: [issue] }: z.ZodError): HoldfastError {
  const field = issue?.path.join(".") ?? "";
  const detail = field === "" ? String(issue?.message) : `${field}: ${issue?.message}`;
  return new HoldfastError("invalid_request", { status: 400, detail });
}

/** Refused as a server would refuse it, so that there is one way to tell. */
export function given<Value extends object>(reply: Reply<Value>): Value {
  if (reply.ok) return reply;
  const { code, message } = reply.refusal;
  throw new HoldfastError(code, { status: 409, detail: message });
}
