import {
  drainNodeRequestSchema,
  nodeParamsSchema,
  nodeSchema,
  nodesReplySchema,
} from "@holdfast/protocol";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireNode } from "../wire/to-wire.ts";

const TAGS = ["nodes"];

export function addNodeRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/nodes",
    schema: {
      operationId: "listNodes",
      summary: "The servers that share the database",
      description:
        "On a file there is only the one that answers. What others say of themselves is a few seconds " +
        "old; those that ended without a word are listed as not alive for an hour.",
      tags: TAGS,
      response: { 200: nodesReplySchema, ...readProblems() },
    },
    handler: async () => {
      const nodes = await runtime.listNodes();
      return { nodes: nodes.map((node) => toWireNode(node, { self: nodes[0] ?? null })) };
    },
  });

  app.route({
    method: "POST",
    url: "/api/nodes/:id/drain",
    schema: {
      operationId: "drainNode",
      summary: "Let a node finish and hand over its work, or take work again",
      description:
        "Agents with nothing to do are ended at once, those at work when they are done. Requests are " +
        "still answered. It lasts until it is taken back, or the node ends.",
      tags: TAGS,
      params: nodeParamsSchema,
      body: drainNodeRequestSchema,
      response: { 200: nodeSchema, ...writeProblems("node_ambiguous", "node_not_found") },
    },
    handler: async ({ params, body: { draining } }, reply) => {
      const drained = await runtime.drainNode({ name: params.id, draining });
      if (!drained.ok) return sendRefusal(reply, drained);
      const [self = null] = await runtime.listNodes();
      return reply.code(200).send(toWireNode(drained.node, { self }));
    },
  });
}
