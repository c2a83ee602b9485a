import {
  toWireBranch,
  toWireCommit,
  toWireMerge,
  toWirePullRequest,
  toWirePush,
  toWireRebase,
} from "../../http/wire/work-wire.ts";
import {
  fromWireRange,
  fromWireRewind,
  toWireChanges,
  toWireFileDiff,
  toWireRewound,
} from "../../http/wire/changes-wire.ts";
import { defined } from "../../domain/defined.ts";
import { HoldfastError } from "@holdfast/client";
import {
  addRepositoryRequestSchema,
  cancelRequestSchema,
  changesQuerySchema,
  commitRequestSchema,
  mergeRequestSchema,
  pullRequestRequestSchema,
  rebaseRequestSchema,
  fileChangesQuerySchema,
  rewindRequestSchema,
  runsQuerySchema,
  createSessionRequestSchema,
  createTokenRequestSchema,
  drainNodeRequestSchema,
  finalizeRequestSchema,
  listSessionsQuerySchema,
  removedQuerySchema,
  sendMessageRequestSchema,
  shouldResumeQuerySchema,
  startLoginRequestSchema,
  statsQuerySchema,
  updateSessionRequestSchema,
} from "@holdfast/protocol";
import type { ShouldResumeQuery } from "@holdfast/protocol";
import type { z } from "zod";
import type { ResumePolicy } from "../../domain/should-resume.ts";
import { toWireLogin } from "../../http/routes/login-routes.ts";
import { parseRequest } from "../../http/problems/invalid-request.ts";
import { problemFromError } from "../../http/problems/problem-status.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import {
  fromCursor,
  fromWireContent,
  fromWireCreate,
  fromWireCreateToken,
  fromWireJson,
  fromWireQuery,
  fromWireResumeQuery,
  fromWireSettings,
  fromWireTime,
  fromWireUpdate,
} from "../../http/wire/from-wire.ts";
import { toWireRuns } from "../../http/wire/run-wire.ts";
import {
  toWireDeleted,
  toWireNode,
  toWireOptions,
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
  toWireToken,
  toWireUnusedAnswer,
  toWireWholeSession,
} from "../../http/wire/to-wire.ts";
import type { Offline } from "../../runtime/open-offline.ts";
import type { Requests } from "../../runtime/requests/requests.ts";
import type { Reply } from "../../runtime/reply.ts";
import { judgeResume } from "../../runtime/requests/judge-resume.ts";
import { withSession } from "../../runtime/session-snapshot.ts";
import type { Store } from "../../storage/store.ts";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { SessionGateway } from "./session-gateway.ts";

export interface DatabaseParts {
  readonly store: Store;
  /** Opens what requests need at the first request that needs more than the store. */
  readonly requests: () => Offline;
  readonly tokens: () => AccessTokens;
  readonly resumePolicy: ResumePolicy;
}

/** Works on the database directly and gives the answers of a server. */
export function databaseGateway({
  store,
  requests,
  tokens,
  resumePolicy,
}: DatabaseParts): SessionGateway {
  const idOf = async (name: string): Promise<string> => (await store.findSession(name)) ?? name;
  const act = async (
    name: string,
    ask: (sessionId: string) => ReturnType<Requests["archive"]>,
  ): Promise<ReturnType<typeof toWireSession>> =>
    toWireSession(valueOf(await ask(await idOf(name))).session);
  const readInbox: SessionGateway["suspensions"] = async () => ({
    suspensions: (await requests().listSuspensions()).map(toWireSuspension),
    unusedAnswers: (await requests().listUnusedAnswers()).map(toWireUnusedAnswer),
  });

  return {
    server: null,
    close: store.close,
    sessions: {
      create: async (request = {}) => {
        const body = checked(createSessionRequestSchema, request);
        const { session, sent } = valueOf(
          await requests().createSession({ ...fromWireCreate(body), idempotency: null }),
        );
        return { ...toWireSession(session), sent: sent === null ? null : toWireSent(sent) };
      },
      list: async (query = {}) => {
        const { status, state } = query;
        const parsed = checked(listSessionsQuerySchema, {
          ...query,
          status: status?.join(","),
          state: state?.join(","),
        });
        return toWireSessionList(await requests().listSessions(fromWireQuery(parsed)), parsed);
      },
      get: async (name) =>
        toWireWholeSession(valueOf(await requests().readWholeSession(await idOf(name)))),
      read: async (name) =>
        toWireSession(
          valueOf(await withSession(store, await idOf(name), (session) => ({ session }))).session,
        ),
      raw: async (name) => toWireRaw(valueOf(await requests().readRaw(await idOf(name))).raw),
      update: (name, changes) =>
        act(name, (sessionId) =>
          requests().updateSession({
            sessionId,
            ...fromWireUpdate(checked(updateSessionRequestSchema, changes)),
          }),
        ),
      delete: async (name, options) => {
        if (options?.agentSessions === "delete")
          throw new WrongUsage("Only a running server can delete the sessions of agents.");
        const forceWorktree = options?.worktree === "remove";
        const sessionId = await idOf(name);
        return toWireDeleted(valueOf(await requests().deleteSession({ sessionId, forceWorktree })));
      },
      cancel: (name, request = {}) =>
        act(name, (sessionId) => {
          const { reason = "on request (command line)" } = checked(cancelRequestSchema, request);
          return requests().cancel({ sessionId, reason });
        }),
      resume: (name) => act(name, (sessionId) => requests().resume({ sessionId })),
      answer: (name, { suspensionId, answer }) =>
        act(name, (sessionId) =>
          requests().answer({
            sessionId,
            suspensionId,
            answer: fromWireJson(answer),
            by: "command line",
          }),
        ),
      archive: (name) => act(name, (sessionId) => requests().archive({ sessionId })),
      finalize: (name, request) =>
        act(name, (sessionId) => {
          const { outcome, summary = null } = checked(finalizeRequestSchema, request);
          return requests().finalize({ sessionId, outcome, summary });
        }),
      changes: async (name, query = {}) => {
        const range = fromWireRange(await idOf(name), checked(changesQuerySchema, query));
        return toWireChanges(valueOf(await requests().readChanges(range)));
      },
      fileDiff: async (name, query) => {
        const { path, ...rest } = checked(fileChangesQuerySchema, query);
        const range = fromWireRange(await idOf(name), rest);
        return toWireFileDiff(valueOf(await requests().readFileDiff({ ...range, path })));
      },
      patch: async function* (name, query = {}) {
        const range = fromWireRange(await idOf(name), checked(changesQuerySchema, query));
        yield valueOf(await requests().readPatch(range)).patch;
      },
      branch: async (name) => {
        return toWireBranch(valueOf(await requests().work.state(await idOf(name))));
      },
      commit: async (name, request = {}) => {
        const { message = null } = checked(commitRequestSchema, request);
        const sessionId = await idOf(name);
        return toWireCommit(valueOf(await requests().work.commit({ sessionId, message })));
      },
      merge: async (name, request = {}) => {
        const { into = null } = checked(mergeRequestSchema, request);
        return toWireMerge(
          valueOf(await requests().work.merge({ sessionId: await idOf(name), into })),
        );
      },
      rebase: async (name, request = {}) => {
        const { onto = null } = checked(rebaseRequestSchema, request);
        return toWireRebase(
          valueOf(await requests().work.rebase({ sessionId: await idOf(name), onto })),
        );
      },
      push: async (name) => toWirePush(valueOf(await requests().work.push(await idOf(name)))),
      pullRequest: async (name, request = {}) => {
        const { title = null, body = null } = checked(pullRequestRequestSchema, request);
        const sessionId = await idOf(name);
        return toWirePullRequest(
          valueOf(await requests().work.openPullRequest({ sessionId, title, body })),
        );
      },
      runs: async (name, { limit, cursor } = {}) => {
        const query = checked(runsQuerySchema, defined({ limit, cursor }));
        const after = query.cursor === undefined ? undefined : fromCursor(query.cursor);
        const sessionId = await idOf(name);
        const page = { sessionId, limit: query.limit, ...defined({ after }) };
        return toWireRuns(valueOf(await requests().readRuns(page)));
      },
      rewind: async (name, request) => {
        const rewind = fromWireRewind(checked(rewindRequestSchema, request));
        const sessionId = await idOf(name);
        return toWireRewound(valueOf(await requests().rewind({ sessionId, ...rewind })));
      },
      fork: (name, { atMessage = null } = {}) =>
        act(name, (sessionId) => requests().fork({ sessionId, atMessage })),
      send: async (name, message) => {
        const body = checked(sendMessageRequestSchema, message);
        const { provider = null, model = null, delivery, continuity } = body;
        const sent = await requests().sendMessage({
          sessionId: await idOf(name),
          content: fromWireContent(body),
          provider,
          model,
          delivery,
          continuity,
          ...defined({ settings: fromWireSettings(body) }),
          idempotency: null,
        });
        return toWireSent(valueOf(sent).sent);
      },
      options: async (name) =>
        toWireOptions(valueOf(await requests().readOptions(await idOf(name)))),
      shouldResume: async (name, query = {}) =>
        toWireResumeDecision(
          await judgeResume(store, {
            sessionId: await idOf(name),
            now: Date.now(),
            policy: { ...resumePolicy, ...resumeLimits(query) },
          }),
        ),
      export: async function* (name) {
        yield* valueOf(await requests().exportSession(await idOf(name))).lines;
      },
      importLines: async (lines) =>
        toWireSession(valueOf(await requests().importSession(lines)).session),
    },
    repos: {
      list: async () => ({ repos: (await requests().listRepos()).map(toWireRepo) }),
      add: async (request) => {
        const { path, name = null, label } = checked(addRepositoryRequestSchema, request);
        return toWireRepo(valueOf(await requests().addRepo(defined({ path, name, label }))).repo);
      },
      remove: async (id) => toWireRepo(valueOf(await requests().removeRepo(id)).repo),
    },
    nodes: {
      list: async () => ({
        nodes: (await requests().listNodes()).map((node) => toWireNode(node, { self: null })),
      }),
      drain: async (name, request = {}) => {
        const { draining } = checked(drainNodeRequestSchema, request);
        const { node } = valueOf(await requests().drainNode({ name, draining }));
        return toWireNode(node, { self: null });
      },
    },
    removed: {
      list: async (query = {}) =>
        toWireRemoved(await requests().listRemoved(checked(removedQuerySchema, query))),
      restore: async (id) => toWireSession(valueOf(await requests().restoreRemoved(id)).session),
    },
    tokens: {
      list: async () => ({ tokens: (await tokens().list()).map(toWireToken) }),
      create: async (request) => {
        const body = fromWireCreateToken(checked(createTokenRequestSchema, request));
        const { token, secret } = valueOf(await tokens().create(body));
        return { ...toWireToken(token), token: secret };
      },
      revoke: async (id) => toWireToken(valueOf(await tokens().revoke(id)).token),
    },
    suspensions: readInbox,
    dismissUnused: async (name, runId) => {
      valueOf(await requests().dismissUnused({ sessionId: await idOf(name), runId }));
      return readInbox();
    },
    providers: async () => {
      const { providers, defaultProvider } = await requests().listProviders();
      return { providers: providers.map(toWireProvider), defaultProvider };
    },
    logIn: async (provider, body = {}) => {
      const { method = null } = checked(startLoginRequestSchema, body);
      return toWireLogin(valueOf(await requests().logIn({ provider, method })).login);
    },
    stats: async (query = {}) => {
      const { from, to } = checked(statsQuerySchema, query);
      return toWireStats(
        await requests().stats({
          ...(from !== undefined && { from: fromWireTime(from) }),
          ...(to !== undefined && { to: fromWireTime(to) }),
        }),
      );
    },
  };
}

function resumeLimits(query: Partial<ShouldResumeQuery>): Partial<ResumePolicy> {
  if (Object.keys(query).length === 0) return {};
  const require = query.require?.join(",");
  return fromWireResumeQuery(checked(shouldResumeQuerySchema, { ...query, require }));
}

/** The same checks that a server makes. */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  try {
    return parseRequest(schema, value);
  } catch (error) {
    const problem = problemFromError(error);
    const { code, status, detail } = problem;
    throw new HoldfastError(code, { status, detail, problem, cause: error });
  }
}

/** Throws a refusal as the client of a server throws it. */
function valueOf<Value extends object>(reply: Reply<Value>): Value {
  if (reply.ok) return reply;
  const { code, message } = reply.refusal;
  throw new HoldfastError(code, { status: 409, detail: message });
}
