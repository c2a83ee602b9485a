import { z } from "zod";
import { orEmpty } from "./fields/body.ts";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

/** A label that connects nodes with the repositories they have. */
export const labelSchema = z
  .string()
  .regex(/^[!-+\--~]{1,100}$/u, "must be 1 to 100 printable characters without spaces and commas");

export const nodeSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    version: z.string(),
    labels: z.array(z.string()).describe("the node has repositories with these labels"),
    capacity: z.int().describe("maximum number of live agents"),
    busy: z.int().describe("number of busy agents, as last reported"),
    alive: z.boolean().describe("false if the node's lease has expired"),
    draining: z.boolean().describe("whether the node hands over its work and accepts no more"),
    drained: z
      .boolean()
      .describe("whether a draining node has finished its work and can be stopped"),
    startedAt: timeSchema,
    self: z.boolean().describe("whether this is the node that answers"),
  })
  .meta({ id: "Node", description: "One server process among those that share a database." });
export type Node = z.infer<typeof nodeSchema>;

export const nodesReplySchema = z
  .object({
    nodes: z.array(nodeSchema).describe("the node that answers first, then the others by age"),
  })
  .meta({ id: "Nodes" });
export type NodesReply = z.infer<typeof nodesReplySchema>;

export const nodeParamsSchema = z.object({ id: idSchema.describe("ID or name of the node") });

export const drainNodeRequestSchema = orEmpty(
  z
    .strictObject({
      draining: z.boolean().default(true).describe("false lets the node accept work again"),
    })
    .meta({ id: "DrainNodeRequest" }),
);
export type DrainNodeRequest = z.input<typeof drainNodeRequestSchema>;
