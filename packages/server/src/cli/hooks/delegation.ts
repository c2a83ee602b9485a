import type { Json, JsonObject } from "../../domain/json.ts";
import { fieldOf, nameIn, objectIn, textIn } from "./hook-input.ts";

/** Work that an orchestrator is about to delegate, and the agent for it. */
export type Delegation =
  | {
      /** An orchestrator other than Claude Code. */
      readonly form: "plain";
      readonly agentName: string | null;
      readonly agentId: string | null;
      readonly purpose: string | null;
      /** Undefined when missing. */
      readonly taskId: Json | undefined;
    }
  | {
      /** Claude Code is about to start a subagent, or has just done so. */
      readonly form: "PreToolUse" | "SubagentStart";
      readonly agentName: string;
      /** Claude Code's ID of the subagent; null before its start. */
      readonly subagentId: string | null;
      /** The folder it works in. */
      readonly folder: string | null;
    }
  /** An event of Claude Code in which nothing is delegated. */
  | { readonly form: "other"; readonly event: string };

/** The tool that starts a subagent, by both of its names. */
export const DELEGATING_TOOLS: readonly string[] = ["Task", "Agent"];
/** The default of Claude Code. */
const DEFAULT_SUBAGENT = "general-purpose";

export function parseDelegation(input: JsonObject): Delegation {
  const event = textIn(input, "hook_event_name");
  const folder = textIn(input, "cwd");
  switch (event) {
    case null:
      return {
        form: "plain",
        agentName: nameIn(input, "agent_name"),
        agentId: nameIn(input, "agent_id"),
        purpose: nameIn(input, "purpose"),
        taskId: fieldOf(input, "task_id") ?? undefined,
      };
    case "PreToolUse": {
      if (!DELEGATING_TOOLS.includes(textIn(input, "tool_name") ?? ""))
        return { form: "other", event };
      const agentName = nameIn(objectIn(input, "tool_input"), "subagent_type") ?? DEFAULT_SUBAGENT;
      return { form: event, agentName, subagentId: null, folder };
    }
    case "SubagentStart": {
      const agentName = nameIn(input, "agent_type") ?? DEFAULT_SUBAGENT;
      return { form: event, agentName, subagentId: nameIn(input, "agent_id"), folder };
    }
    default:
      return { form: "other", event };
  }
}
