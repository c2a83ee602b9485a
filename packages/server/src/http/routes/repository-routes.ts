import {
  addRepositoryRequestSchema,
  foundRepositoriesSchema,
  repositoriesReplySchema,
  repositoryFilesQuerySchema,
  repositoryFilesSchema,
  repositoryParamsSchema,
  repositorySchema,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendReply } from "../wire/send-reply.ts";
import { toWireRepo } from "../wire/to-wire.ts";

const TAGS = ["repositories"];

export function addRepositoryRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/repos",
    schema: {
      operationId: "listRepositories",
      summary: "List repositories",
      tags: TAGS,
      response: { 200: () => repositoriesReplySchema, ...readProblems() },
    },
    handler: async () => ({ repos: (await runtime.listRepos()).map(toWireRepo) }),
  });

  app.route({
    method: "GET",
    url: "/api/repos/found",
    schema: {
      operationId: "findRepositories",
      summary: "Find repositories in the workspace root that are not added yet",
      description:
        "Looks four folders deep, nearest first. Hidden folders, packages and symbolic links are left out. The " +
        "search ends after 50 repositories, 2,000 folders, or 0.3 seconds.",
      tags: TAGS,
      response: { 200: () => foundRepositoriesSchema, ...readProblems() },
    },
    handler: async () => {
      const { found, truncated } = await runtime.findRepos();
      return { found: [...found], truncated };
    },
  });

  app.route({
    method: "POST",
    url: "/api/repos",
    schema: {
      operationId: "addRepository",
      summary: "Add a repository inside the workspace root",
      tags: TAGS,
      body: () => addRepositoryRequestSchema,
      response: {
        201: () => repositorySchema,
        ...writeProblems(
          "not_a_repository",
          "path_not_found",
          "path_outside_root",
          "repository_owner_refused",
        ),
      },
    },
    handler: async ({ body: { path, name = null, label } }, reply) => {
      const added = await runtime.addRepo({ path, name, ...defined({ label }) });
      return sendReply(reply, added, ({ repo }) => toWireRepo(repo), 201);
    },
  });

  app.route({
    method: "GET",
    url: "/api/repos/:id/files",
    schema: {
      operationId: "findFiles",
      summary: "Find files of a repository",
      description:
        "Files ignored by `.gitignore` are left out, even if they are tracked. Symbolic links are not " +
        "followed. The search ends after 20,000 files and folders, or after 0.3 seconds. Results " +
        "may be up to five seconds old.",
      tags: TAGS,
      params: () => repositoryParamsSchema,
      querystring: () => repositoryFilesQuerySchema,
      response: {
        200: () => repositoryFilesSchema,
        ...readProblems(
          "not_a_repository",
          "path_not_found",
          "path_outside_root",
          "repository_not_found",
        ),
      },
    },
    handler: async ({ params, query: { query, limit } }, reply) => {
      const matches = await runtime.findFiles({ repoId: params.id, query, limit });
      return sendReply(reply, matches, ({ files, truncated }) => ({ files, truncated }));
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/repos/:id",
    schema: {
      operationId: "removeRepository",
      summary: "Remove a repository that no session uses; its files stay",
      tags: TAGS,
      params: () => repositoryParamsSchema,
      response: {
        200: () => repositorySchema,
        ...writeProblems("repository_in_use", "repository_not_found"),
      },
    },
    handler: async ({ params }, reply) =>
      sendReply(reply, await runtime.removeRepo(params.id), ({ repo }) => toWireRepo(repo)),
  });
}
