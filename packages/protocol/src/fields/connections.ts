import { z } from "zod";
import { isJsonWithin, LIMITS } from "./limits.ts";

const MAX = LIMITS.mcpServers;

const textSchema = (maximum: number) =>
  z
    .string()
    .max(maximum)
    .refine((text) => !text.includes("\0"), "must not contain a NUL");
const variableSchema = z
  .string()
  .max(LIMITS.nameLength)
  .regex(/^[A-Za-z_]\w*$/u, "must be a variable's name: letters, digits and underscores");
const headerSchema = z
  .string()
  .max(LIMITS.nameLength)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, "must be the name of an HTTP header");
const headerValueSchema = textSchema(LIMITS.pathLength).regex(
  /^[\t\x20-\x7e\x80-\xff]*$/u,
  "must be the value of an HTTP header",
);

/** At most this many entries. */
const table = <Name extends z.ZodType<string, string>, Value extends z.ZodType<string>>(
  name: Name,
  value: Value,
) =>
  z
    .record(name, value)
    .refine(
      (entries) => Object.keys(entries).length <= LIMITS.mcpEntries,
      `must have at most ${LIMITS.mcpEntries} entries`,
    );

const programSchema = z.strictObject({
  type: z.literal("stdio").optional().describe("the default"),
  command: textSchema(LIMITS.pathLength).min(1),
  args: z.array(textSchema(LIMITS.pathLength)).max(LIMITS.mcpEntries).optional(),
  env: table(variableSchema, textSchema(LIMITS.pathLength)).optional(),
  envFrom: table(variableSchema, variableSchema)
    .optional()
    .describe("variables of the program, and the variables of the server that hold their values"),
});

const addressSchema = z.strictObject({
  type: z.enum(["http", "sse"]),
  url: z
    .url({ protocol: /^https?$/u, error: "must be an http or https URL" })
    .max(LIMITS.pathLength),
  headers: table(headerSchema, headerValueSchema).optional(),
  headersFrom: table(headerSchema, variableSchema)
    .optional()
    .describe("headers, and the variables of the server that hold their values"),
});

const mcpServerSchema = z.union(
  [programSchema, addressSchema],
  'must be a program with "command", or {"type": "http" or "sse", "url"}',
);

/** Names that all agents accept. Some make the names of tools from them, and split those at underscores. */
const MCP_NAME = /^[A-Za-z][A-Za-z0-9-]{0,31}$/u;

/** The user's MCP servers by name. */
export const mcpServersSchema = z
  .record(
    z
      .string()
      .regex(MCP_NAME, "must begin with a letter and have at most 32 letters, digits and hyphens"),
    mcpServerSchema,
  )
  .refine((servers) => Object.keys(servers).length <= MAX, `must be at most ${MAX} servers`)
  .refine((servers) => !Object.hasOwn(servers, "holdfast"), "holdfast is the name of its own tools")
  .refine(
    (servers) => isJsonWithin(servers, LIMITS.mcpBytes),
    `must be at most ${LIMITS.mcpBytes / 1024} KiB of JSON`,
  )
  .meta({ id: "McpServers" });
export type McpServers = z.infer<typeof mcpServersSchema>;

const textsSchema = z.record(z.string(), z.string());

/** The MCP servers of a session in a reply. */
export const sessionMcpServersSchema = z
  .record(
    z.string(),
    z.discriminatedUnion("type", [
      z.object({
        type: z.literal("stdio"),
        command: z.string(),
        args: z.array(z.string()),
        env: textsSchema,
        envFrom: textsSchema,
      }),
      z.object({
        type: z.enum(["http", "sse"]),
        url: z.string(),
        headers: textsSchema,
        headersFrom: textsSchema,
      }),
    ]),
  )
  .meta({ id: "SessionMcpServers" });
export type SessionMcpServers = z.infer<typeof sessionMcpServersSchema>;

/** Further folders in which the agents of a session work. */
export const directoriesSchema = z
  .array(textSchema(LIMITS.pathLength).min(1))
  .max(LIMITS.directories);
