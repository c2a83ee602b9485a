import {
  addRepositoryRequestSchema,
  repositoriesReplySchema,
  repositoryFilesQuerySchema,
  repositoryFilesSchema,
  repositoryParamsSchema,
  repositorySchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireRepo } from "../wire/to-wire.ts";

const TAGS = ["repositories"];

export function addRepositoryRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/repos",
    schema: {
      operationId: "listRepositories",
      summary: "Repositories that sessions can work in",
      tags: TAGS,
      response: { 200: repositoriesReplySchema, ...readProblems() },
    },
    handler: async () => ({ repos: (await runtime.listRepos()).map(toWireRepo) }),
  });

  app.route({
    method: "POST",
    url: "/api/repos",
    schema: {
      operationId: "addRepository",
      summary: "Add a repository inside the workspace root",
      tags: TAGS,
      body: addRepositoryRequestSchema,
      response: {
        201: repositorySchema,
        ...writeProblems("not_a_repository", "path_not_found", "path_outside_root"),
      },
    },
    handler: async ({ body: { path, name = null, label } }, reply) => {
      const added = await runtime.addRepo({ path, name, ...(label !== undefined && { label }) });
      if (!added.ok) return sendRefusal(reply, added);
      return reply.code(201).send(toWireRepo(added.repo));
    },
  });

  app.route({
    method: "GET",
    url: "/api/repos/:id/files",
    schema: {
      operationId: "findFiles",
      summary: "Files of a repository by letters of their path",
      description:
        "What `.gitignore` files leave out is left out here, whether or not it is tracked. Links are " +
        "not followed. At most 20,000 files and folders are looked at, and for at most 0.3 seconds; " +
        "what was found may be up to five seconds old.",
      tags: TAGS,
      params: repositoryParamsSchema,
      querystring: repositoryFilesQuerySchema,
      response: {
        200: repositoryFilesSchema,
        ...readProblems(
          "not_a_repository",
          "path_not_found",
          "path_outside_root",
          "repository_not_found",
        ),
      },
    },
    handler: async ({ params, query: { query, limit } }, reply) => {
      const found = await runtime.findFiles({ repoId: params.id, query, limit });
      if (!found.ok) return sendRefusal(reply, found);
      return reply.code(200).send({ files: [...found.files], truncated: found.truncated });
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/repos/:id",
    schema: {
      operationId: "removeRepository",
      summary: "Forget a repository that no session works in; its files stay",
      tags: TAGS,
      params: repositoryParamsSchema,
      response: {
        200: repositorySchema,
        ...writeProblems("repository_in_use", "repository_not_found"),
      },
    },
    handler: async ({ params }, reply) => {
      const removed = await runtime.removeRepo(params.id);
      if (!removed.ok) return sendRefusal(reply, removed);
      return reply.code(200).send(toWireRepo(removed.repo));
    },
  });
}
