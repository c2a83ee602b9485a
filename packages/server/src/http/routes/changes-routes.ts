import {
  changesQuerySchema,
  changesSchema,
  fileChangesQuerySchema,
  fileDiffSchema,
  rewindReplySchema,
  rewindRequestSchema,
  sessionParamsSchema,
} from "@holdfast/protocol";
import { z } from "zod";
import type { App, AppServices } from "../app.ts";
import { aboutRewind } from "../guard/body-scope.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendProblem, sendRefusal } from "../problems/send-problem.ts";
import {
  fromWireRange,
  fromWireRewind,
  toWireChanges,
  toWireFileDiff,
  toWireRewound,
} from "../wire/changes-wire.ts";
import { ifMatchSchema, onSession } from "../wire/preconditions.ts";

const TAGS = ["changes"];
const ON_SESSION = { tags: TAGS, params: () => sessionParamsSchema };
const PATCH_TYPE = "text/x-diff; charset=utf-8";
const patchSchema = z.unknown().meta({ type: "string" });

export function addChangesRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/sessions/:id/changes",
    schema: {
      ...ON_SESSION,
      operationId: "getChanges",
      summary: "List the files that changed",
      description:
        "Of the whole session, of one run, or since a run began, whoever changed them. Ignored files are not included. " +
        "Without `run`, and for a run at work, the files are compared as they are now.",
      querystring: () => changesQuerySchema,
      response: { 200: () => changesSchema, ...readProblems("run_not_found", "session_not_found") },
    },
    handler: async ({ params, query }, reply) => {
      const changes = await runtime.readChanges(fromWireRange(params.id, query));
      return changes.ok ? reply.send(toWireChanges(changes)) : sendRefusal(reply, changes);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/changes/file",
    schema: {
      ...ON_SESSION,
      operationId: "getFileDiff",
      summary: "Get the unified diff of one file",
      description: "Up to 1 MiB.",
      querystring: () => fileChangesQuerySchema,
      response: {
        200: () => fileDiffSchema,
        ...readProblems("changes_unknown", "path_not_found", "run_not_found", "session_not_found"),
      },
    },
    handler: async ({ params, query: { path, ...query } }, reply) => {
      const range = fromWireRange(params.id, query);
      const diff = await runtime.readFileDiff({ ...range, path });
      return diff.ok ? reply.send(toWireFileDiff(diff)) : sendRefusal(reply, diff);
    },
  });

  app.route({
    method: "GET",
    url: "/api/sessions/:id/changes/patch",
    schema: {
      ...ON_SESSION,
      operationId: "getPatch",
      summary: "Download all changes as a patch",
      description: "For `git apply`. Up to 64 MiB; a larger patch is refused.",
      querystring: () => changesQuerySchema,
      response: {
        200: {
          description: "The patch",
          content: { "text/x-diff": { schema: () => patchSchema } },
        },
        ...readProblems("changes_unknown", "run_not_found", "session_not_found"),
      },
    },
    handler: async ({ params, query }, reply) => {
      const read = await runtime.readPatch(fromWireRange(params.id, query));
      if (!read.ok) return sendRefusal(reply, read);
      return reply
        .headers({
          "content-type": PATCH_TYPE,
          "content-disposition": 'attachment; filename="changes.patch"',
        })
        .send(read.patch);
    },
  });

  app.route({
    method: "POST",
    url: "/api/sessions/:id/rewind",
    schema: {
      ...ON_SESSION,
      headers: () => ifMatchSchema,
      operationId: "rewindSession",
      summary: "Go back to the state before a run",
      description:
        "Restores the files, and takes the run and all later ones out of the conversation. Nothing is deleted: the files as " +
        "they are now are kept, and `undo` takes the last rewind back. Files that somebody else has changed since stay as " +
        "they are, unless `force` is set. The session must be idle.",
      body: () => rewindRequestSchema,
      response: {
        200: () => rewindReplySchema,
        ...writeProblems(
          "changes_unknown",
          "path_not_found",
          "rewind_not_found",
          "run_not_found",
          "session_archived",
          "session_failed",
          "session_not_found",
          "session_not_idle",
          "version_mismatch",
        ),
      },
    },
    handler: async (request, reply) => {
      const problem = aboutRewind(request);
      if (problem !== null) return sendProblem(reply, problem);
      const rewound = await runtime.rewind({
        ...onSession(request),
        ...fromWireRewind(request.body),
      });
      return rewound.ok ? reply.send(toWireRewound(rewound)) : sendRefusal(reply, rewound);
    },
  });
}
