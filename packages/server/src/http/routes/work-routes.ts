import {
  branchStateSchema,
  commitReplySchema,
  commitRequestSchema,
  emptyRequestSchema,
  mergeReplySchema,
  mergeRequestSchema,
  pullRequestReplySchema,
  pullRequestRequestSchema,
  pushReplySchema,
  rebaseReplySchema,
  rebaseRequestSchema,
  sessionParamsSchema,
  type ProblemCode,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import {
  toWireBranch,
  toWireCommit,
  toWireMerge,
  toWirePullRequest,
  toWirePush,
  toWireRebase,
} from "../wire/work-wire.ts";
import { sendReply } from "../wire/send-reply.ts";

const ON_SESSION = { tags: ["changes"], params: () => sessionParamsSchema };
const NEEDED = ["git_failed", "repository_required", "session_not_found"] as const;
const PROBLEMS = (...codes: readonly ProblemCode[]) =>
  writeProblems(...NEEDED, "session_not_idle", ...codes);

export function addWorkRoutes(app: App, { runtime: { work } }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/branch",
    schema: {
      ...ON_SESSION,
      operationId: "getBranch",
      summary: "Get the branch of a session, and how its work can be kept",
      response: { 200: () => branchStateSchema, ...readProblems(...NEEDED) },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await work.state(params.id), toWireBranch),
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/commit",
    schema: {
      ...ON_SESSION,
      operationId: "commitWork",
      summary: "Commit everything that the session changed",
      description:
        "Commits all files that Git does not ignore, on the branch of the session. The hooks of the repository run in the sandbox.",
      body: () => commitRequestSchema,
      response: { 200: () => commitReplySchema, ...PROBLEMS("hook_failed", "nothing_to_commit") },
    },
    handler: async ({ params, body: { message = null } }, reply) =>
      sendReply(reply, await work.commit({ sessionId: params.id, message }), toWireCommit),
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/merge",
    schema: {
      ...ON_SESSION,
      operationId: "mergeWork",
      summary: "Merge the branch of a session",
      description: "Either everything is done, or nothing: conflicts are only reported.",
      body: () => mergeRequestSchema,
      response: {
        200: () => mergeReplySchema,
        ...PROBLEMS("merge_conflicts", "not_committed", "worktree_required"),
      },
    },
    handler: async ({ params, body: { into = null } }, reply) =>
      sendReply(reply, await work.merge({ sessionId: params.id, into }), toWireMerge),
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/rebase",
    schema: {
      ...ON_SESSION,
      operationId: "rebaseWork",
      summary: "Rebase the branch of a session",
      description: "Either everything is done, or nothing: conflicts are only reported.",
      body: () => rebaseRequestSchema,
      response: {
        200: () => rebaseReplySchema,
        ...PROBLEMS("merge_conflicts", "not_committed", "worktree_required"),
      },
    },
    handler: async ({ params, body: { onto = null } }, reply) =>
      sendReply(reply, await work.rebase({ sessionId: params.id, onto }), toWireRebase),
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/push",
    schema: {
      ...ON_SESSION,
      operationId: "pushWork",
      summary: "Push the branch of a session to the configured remote repository",
      body: () => emptyRequestSchema,
      response: {
        200: () => pushReplySchema,
        ...PROBLEMS("push_failed", "remote_required", "worktree_required"),
      },
    },
    handler: async ({ params }, reply) => sendReply(reply, await work.push(params.id), toWirePush),
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/pull-request",
    schema: {
      ...ON_SESSION,
      operationId: "openPullRequest",
      summary: "Open a pull request with the configured command",
      description: "Pushes the branch first, if a remote repository is configured.",
      body: () => pullRequestRequestSchema,
      response: {
        200: () => pullRequestReplySchema,
        ...PROBLEMS("pull_request_failed", "push_failed", "remote_required", "worktree_required"),
      },
    },
    handler: async ({ params, body: { title = null, body = null } }, reply) =>
      sendReply(
        reply,
        await work.openPullRequest({ sessionId: params.id, title, body }),
        toWirePullRequest,
      ),
  });
}
