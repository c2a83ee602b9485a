import {
  OUTPUT_OMITTED_HEADER,
  OUTPUT_SOURCE_HEADER,
  queuedMessageParamsSchema,
} from "@holdfast/protocol";
import { Readable } from "node:stream";
import { z } from "zod";
import type { App, AppServices } from "../app.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { addSessionHead } from "../server/head-requests.ts";

const URL = "/api/sessions/:id/messages/:messageId/output";
const MEDIA_TYPE = "text/plain; charset=utf-8";
/** It is streamed. */
const outputSchema = z.unknown().meta({ type: "string" });

export function addOutputRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: URL,
    schema: {
      operationId: "getOutput",
      summary: "Get the output of a tool call",
      description:
        "If the agent cut the output and named a file with the whole, the reply is that file, without secrets and " +
        "up to 64 MiB. The file must be in the repository or a directory of the session, or where the agent is known to " +
        `leave such files. Otherwise the reply is the stored output. \`${OUTPUT_SOURCE_HEADER}\` says which: \`file\` or ` +
        `\`stored\`. \`${OUTPUT_OMITTED_HEADER}\` has the number of bytes that Holdfast left out.`,
      tags: ["messages"],
      params: () => queuedMessageParamsSchema,
      response: {
        200: {
          description: "The output",
          content: { "text/plain": { schema: () => outputSchema } },
        },
        ...readProblems("message_not_found", "session_not_found"),
      },
    },
    handler: async ({ params: { id, messageId } }, reply) => {
      const read = await runtime.readOutput({ sessionId: id, messageId });
      if (!read.ok) return sendRefusal(reply, read);
      const { source, omittedBytes, text } = read.output;
      return reply
        .code(200)
        .headers({
          "content-type": MEDIA_TYPE,
          "content-disposition": 'attachment; filename="output.txt"',
          [OUTPUT_SOURCE_HEADER]: source,
          [OUTPUT_OMITTED_HEADER]: String(omittedBytes),
        })
        .send(Readable.from(text, { objectMode: false }));
    },
  });

  addSessionHead(app, runtime, URL, MEDIA_TYPE);
}
