import {
  databaseCheckSchema,
  drainNodeRequestSchema,
  nodeParamsSchema,
  nodeSchema,
  nodesReplySchema,
  providersReplySchema,
  statsQuerySchema,
  statsSchema,
  updateProvidersRequestSchema,
} from "@holdfast/protocol";
import { defined } from "../../domain/defined.ts";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { fromWireTime } from "../wire/from-wire.ts";
import { sendRefusal } from "../problems/send-problem.ts";
import { toWireNode, toWireProvider, toWireStats } from "../wire/to-wire.ts";

/** Routes about the server itself: its providers, nodes and statistics. */
export function addServerRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "GET",
    url: "/api/providers",
    schema: {
      operationId: "listProviders",
      summary: "List providers and their models, installed or not",
      tags: ["providers"],
      response: { 200: () => providersReplySchema, ...readProblems() },
    },
    handler: async () => {
      const { providers, defaultProvider } = await runtime.listProviders();
      return { providers: providers.map(toWireProvider), defaultProvider };
    },
  });

  app.route({
    method: "PATCH",
    url: "/api/providers",
    schema: {
      operationId: "updateProviders",
      summary: "Choose the default provider",
      description:
        "Messages that name no provider, in sessions without one, go to the default. The server writes it to its config " +
        "file and uses it at once. Each node has its own default.",
      tags: ["providers"],
      body: () => updateProvidersRequestSchema,
      response: {
        200: () => providersReplySchema,
        ...writeProblems("agent_not_installed", "provider_unknown", "settings_not_written"),
      },
    },
    handler: async ({ body: { defaultProvider: name } }, reply) => {
      const updated = await runtime.setDefaultProvider(name);
      if (!updated.ok) return sendRefusal(reply, updated);
      const { providers, defaultProvider } = updated;
      return reply.code(200).send({ providers: providers.map(toWireProvider), defaultProvider });
    },
  });

  app.route({
    method: "GET",
    url: "/api/nodes",
    schema: {
      operationId: "listNodes",
      summary: "List the nodes",
      description:
        "With SQLite there is only the node that answers. Data of other nodes may be a few seconds old. " +
        "Nodes that crashed stay listed as not alive for an hour.",
      tags: ["nodes"],
      response: { 200: () => nodesReplySchema, ...readProblems() },
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
      tags: ["nodes"],
      params: () => nodeParamsSchema,
      body: () => drainNodeRequestSchema,
      response: { 200: () => nodeSchema, ...writeProblems("node_ambiguous", "node_not_found") },
    },
    handler: async ({ params, body: { draining } }, reply) => {
      const drained = await runtime.drainNode({ name: params.id, draining });
      if (!drained.ok) return sendRefusal(reply, drained);
      const [self = null] = await runtime.listNodes();
      return reply.code(200).send(toWireNode(drained.node, { self }));
    },
  });

  app.route({
    method: "POST",
    url: "/api/database/check",
    schema: {
      operationId: "checkDatabase",
      summary: "Check the database file for damage",
      description:
        "Reads every page of the SQLite file in another process, and changes nothing. The server does this " +
        "once a day. PostgreSQL checks its files itself, so the reply is empty.",
      tags: ["server"],
      response: { 200: () => databaseCheckSchema, ...writeProblems() },
    },
    handler: async () => ({ damage: [...(await runtime.checkDatabase())] }),
  });

  app.route({
    method: "GET",
    url: "/api/stats",
    schema: {
      operationId: "getStats",
      summary: "Get statistics by agent, provider, phase and time",
      description:
        "Counts runs that ended from `from` until before `to`, and sessions that were active in that range. Without a range, counts all.",
      tags: ["stats"],
      querystring: () => statsQuerySchema,
      response: { 200: () => statsSchema, ...readProblems() },
    },
    handler: async ({ query: { from, to } }) =>
      toWireStats(await runtime.stats(defined({ from: fromWireTime(from), to: fromWireTime(to) }))),
  });
}
