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
      summary: "List the nodes",
      description:
        "With SQLite there is only the node that answers. Data of other nodes may be a few seconds old. " +
        "Nodes that crashed stay listed as not alive for an hour.",
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
      summary: "Drain a node, or let it accept work again",
      description:
        "Idle agents are stopped at once, busy agents when they are done. The node still answers " +
        "requests. Draining lasts until it is revoked or the node stops.",
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
