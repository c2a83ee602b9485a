import { AGENT_LIMITS, historySchema, LIMITS, PHASES } from "@holdfast/protocol";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { historyText } from "../../doors/mcp/history-text.ts";
import type { AgentApi } from "./agent-api.ts";
import { toResult } from "./tool-result.ts";

const END_NOW =
  "End your turn now. The result comes with the next prompt, which may be much later.";

/** The tools with which an agent acts on its session. */
export function addTools(server: McpServer, api: AgentApi): void {
  server.registerTool(
    "set_phase",
    {
      title: "Set the phase",
      description:
        "Report the kind of work you are doing now, for the people who watch. The last three phases " +
        "are final: the phase cannot change after them.",
      inputSchema: { phase: z.enum(PHASES) },
      annotations: { readOnlyHint: false, idempotentHint: true, openWorldHint: false },
    },
    async ({ phase }) =>
      toResult(await api.post("phase", { phase }), () => `The phase is now "${phase}".`),
  );

  server.registerTool(
    "ask_human",
    {
      title: "Ask a person",
      description:
        "Ask a person something you cannot decide or find out yourself. The answer may take days. " +
        "End your turn after this call; the answer comes with the next prompt.",
      inputSchema: {
        question: z.string().min(1).max(AGENT_LIMITS.questionLength),
        options: z
          .array(z.string().min(1).max(AGENT_LIMITS.optionLength))
          .max(AGENT_LIMITS.options)
          .optional()
          .describe("answers to choose from; the person may also answer differently"),
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    async ({ question, options }) =>
      toResult(
        await api.post("questions", { question, options }),
        () => `The question is stored and waits for a person. ${END_NOW}`,
      ),
  );

  server.registerTool(
    "wait_for_event",
    {
      title: "Wait for an event",
      description:
        "Wait for an event outside of this session, such as a deployment or a review. End your turn " +
        "after this call; the event comes with the next prompt.",
      inputSchema: {
        name: z.string().min(1).max(AGENT_LIMITS.eventNameLength),
        description: z
          .string()
          .max(AGENT_LIMITS.questionLength)
          .optional()
          .describe("the event and its source, for the people who read it"),
        expires_in_minutes: z
          .number()
          .positive()
          .max(AGENT_LIMITS.expiresInMinutes)
          .optional()
          .describe("continue without the event after this time (default: wait forever)"),
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    async ({ name, description, expires_in_minutes: expiresInMinutes }) =>
      toResult(
        await api.post("events", { name, description, expiresInMinutes }),
        () => `The session waits for the event "${name}". ${END_NOW}`,
      ),
  );

  server.registerTool(
    "read_history",
    {
      title: "Read the history",
      description:
        "Read the messages of this session, including those before you were started: the newest " +
        "ones, those after a number, or those that contain a text.",
      inputSchema: {
        limit: z.number().int().min(1).max(LIMITS.historyEntries).optional(),
        after: z
          .number()
          .int()
          .nonnegative()
          .optional()
          .describe("only messages after this number"),
        search: z.string().min(1).max(LIMITS.searchLength).optional(),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ limit, after, search }) =>
      toResult(await api.get("history", { limit, after, search }), (body) =>
        historyText(historySchema.parse(body), { isAfter: after !== undefined }),
      ),
  );
}
