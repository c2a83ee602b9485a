import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { ToolDefinition } from "../../providers/provider.ts";

const MAX_TOOLS = 128;
const MAX_DESCRIPTION = 8_000;
/** Names that every model API accepts. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u;

/**
 * The tools that a session's client offers, in its metadata under `tools`: `[{name, description, inputSchema}]`.
 * Invalid entries are ignored: the metadata belong to the client, and a run must not fail because of them.
 */
export function sessionTools(metadata: JsonObject): readonly ToolDefinition[] {
  const { tools } = metadata;
  if (!Array.isArray(tools)) return [];
  const byName = new Map<string, ToolDefinition>();
  for (const tool of tools) {
    const parsed = parseTool(tool);
    if (parsed !== null && !byName.has(parsed.name)) byName.set(parsed.name, parsed);
  }
  return [...byName.values()].slice(0, MAX_TOOLS);
}

function parseTool(value: Json): ToolDefinition | null {
  if (!isObject(value)) return null;
  const { name, description, inputSchema = {} } = value;
  if (typeof name !== "string" || !NAME.test(name) || !isObject(inputSchema)) return null;
  const { type = "object" } = inputSchema;
  if (type !== "object") return null;
  return {
    name,
    description: typeof description === "string" ? description.slice(0, MAX_DESCRIPTION) : "",
    inputSchema: { properties: {}, ...inputSchema, type },
  };
}
