import {
  addRepositoryRequestSchema,
  repositoriesReplySchema,
  repositoryParamsSchema,
  repositorySchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "./build-app.ts";
import { readProblems, writeProblems } from "./problem-responses.ts";
import { sendRefusal } from "./send-problem.ts";
import { toWireRepo } from "./to-wire.ts";

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
    handler: async ({ body: { path, name = null } }, reply) => {
      const added = await runtime.addRepo({ path, name });
      if (!added.ok) return sendRefusal(reply, added);
      return reply.code(201).send(toWireRepo(added.repo));
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
