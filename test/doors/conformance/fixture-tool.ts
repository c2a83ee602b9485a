import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import {
  defineTool,
  type Call,
  type Tool,
  type ToolOutcome,
} from "../../../packages/server/src/doors/mcp/surface.ts";

type Outcome = Extract<ToolOutcome, { readonly result: unknown }>["result"];

/** A tool without arguments. */
export function simpleTool(name: string, call: (call: Call) => Outcome | Promise<Outcome>): Tool {
  return fixtureTool(name, {}, (_args, given) => call(given));
}

export function fixtureTool<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  call: (args: z.output<z.ZodObject<Shape>>, call: Call) => Outcome | Promise<Outcome>,
): Tool {
  const input = z.object(shape);
  return defineTool({
    ...described(name),
    input,
    call: async (args, given) => call(args as z.output<z.ZodObject<Shape>>, given),
  });
}

/** What a tool of the fixture needs besides its input and its work. */
export function described(name: string) {
  return {
    name,
    title: name,
    description: `The fixture ${name}`,
    annotations: { readOnlyHint: true },
    scope: "read",
    isForAll: false,
  } as const;
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
