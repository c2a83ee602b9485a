import { z } from "zod";
import { orEmpty } from "./fields/empty-body.ts";
import { idSchema } from "./fields/identifier.ts";
import { timeSchema } from "./fields/time.ts";

/** What a node has, and a repository needs. */
export const labelSchema = z
  .string()
  .regex(/^[!-+\--~]{1,100}$/u, "must be 1 to 100 printable characters without spaces and commas");

export const nodeSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    version: z.string(),
    labels: z.array(z.string()).describe("repositories with one of these can be worked in there"),
    capacity: z.int().describe("how many agents may live there"),
    busy: z.int().describe("how many are at work, as it last said"),
    alive: z.boolean().describe("false: nothing was heard of it for a whole lease"),
    draining: z.boolean().describe("it lets go of its work and takes no more"),
    drained: z
      .boolean()
      .describe("it drains and has nothing at work any more: it can be stopped without a loss"),
    startedAt: timeSchema,
    self: z.boolean().describe("the one that answers"),
  })
  .meta({ id: "Node", description: "One server process among those that share a database." });
export type Node = z.infer<typeof nodeSchema>;

export const nodesReplySchema = z
  .object({ nodes: z.array(nodeSchema).describe("the one that answers first, then by their age") })
  .meta({ id: "Nodes" });
export type NodesReply = z.infer<typeof nodesReplySchema>;

export const nodeParamsSchema = z.object({ id: idSchema.describe("or its name") });

export const drainNodeRequestSchema = orEmpty(
  z
    .strictObject({
      draining: z.boolean().default(true).describe("false: it may take work again"),
    })
    .meta({ id: "DrainNodeRequest" }),
);
export type DrainNodeRequest = z.input<typeof drainNodeRequestSchema>;
