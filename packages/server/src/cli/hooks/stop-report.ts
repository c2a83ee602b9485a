import type { JsonObject } from "../../domain/json.ts";
import { OUTCOMES, type Outcome } from "../../domain/phase.ts";
import { fieldOf, nameIn, objectIn, textIn } from "./hook-input.ts";

/** A report about an agent that has stopped. */
export interface StopReport {
  /** The event of Claude Code; null for other orchestrators. */
  readonly event: string | null;
  /** The ID of the session, or of the subagent in Claude Code. */
  readonly agentId: string | null;
  /** The subagent's type, in Claude Code. */
  readonly agentName: string | null;
  /** `unknown`: the report gives no reason. */
  readonly end: Outcome | "paused" | "unknown";
  readonly summary: string | null;
}

const MAX_SUMMARY = 20_000;

const STATUSES: Readonly<Record<string, Outcome | "paused">> = {
  completed: "completed",
  complete: "completed",
  success: "completed",
  succeeded: "completed",
  done: "completed",
  ok: "completed",
  failed: "failed",
  failure: "failed",
  error: "failed",
  abandoned: "abandoned",
  aborted: "abandoned",
  cancelled: "abandoned",
  canceled: "abandoned",
  killed: "abandoned",
  paused: "paused",
  waiting: "paused",
  suspended: "paused",
  pending: "paused",
};

export function parseStopReport(input: JsonObject): StopReport {
  const info = objectIn(input, "task_info");
  const either = <Value>(read: (object: JsonObject) => Value | null): Value | null =>
    read(info) ?? read(input);
  const error = either(errorIn);
  const summary = either((object) => textIn(object, "summary"));
  return {
    event: textIn(input, "hook_event_name"),
    agentId: either((object) => nameIn(object, "agent_id")),
    agentName: nameIn(input, "agent_type"),
    end: either(outcomeIn) ?? either(statusIn) ?? (error === null ? "unknown" : "failed"),
    summary: shortened(summary ?? textIn(input, "last_assistant_message") ?? error?.text ?? null),
  };
}

function outcomeIn(object: JsonObject): Outcome | null {
  return OUTCOMES.find((outcome) => outcome === textIn(object, "outcome")) ?? null;
}

/** Null for an unknown status. */
function statusIn(object: JsonObject): Outcome | "paused" | null {
  const status = textIn(object, "status")?.toLowerCase() ?? "";
  return Object.hasOwn(STATUSES, status) ? (STATUSES[status] ?? null) : null;
}

function errorIn(object: JsonObject): { readonly text: string | null } | null {
  const error = fieldOf(object, "error");
  if (typeof error === "string" && error !== "") return { text: error };
  const exitCode = fieldOf(object, "exit_code");
  if (typeof exitCode === "number" && exitCode !== 0) return { text: null };
  const isError = fieldOf(object, "is_error") === true || error === true;
  return isError || (typeof error === "object" && error !== null) ? { text: null } : null;
}

function shortened(text: string | null): string | null {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return null;
  const rest = trimmed.length - MAX_SUMMARY;
  return rest <= 0 ? trimmed : `${trimmed.slice(0, MAX_SUMMARY)}… (${rest} more characters)`;
}
