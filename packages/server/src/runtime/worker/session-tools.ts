import type { Json, JsonObject } from "../../domain/json.ts";
import type { ToolDefinition } from "../../providers/provider.ts";

const MAX_TOOLS = 128;
const MAX_DESCRIPTION = 8_000;
/** What every model's API takes as a name. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u;

/**
 * The tools a session's client offers, in its metadata under `tools`: `[{name, description, inputSchema}]`.
 * What is no tool is passed over: metadata belong to the client, and a run must not fail for them.
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

function parseTool(given: Json): ToolDefinition | null {
  if (!isObject(given)) return null;
  const { name, description, inputSchema = {} } = given;
  if (typeof name !== "string" || !NAME.test(name) || !isObject(inputSchema)) return null;
  const { type = "object" } = inputSchema;
  if (type !== "object") return null;
  return {
    name,
    description: typeof description === "string" ? description.slice(0, MAX_DESCRIPTION) : "",
    inputSchema: { properties: {}, ...inputSchema, type },
  };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
