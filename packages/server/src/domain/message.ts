import type { EventOf, SessionEvent } from "./kernel/event.ts";
import type { Json, JsonObject } from "./json.ts";

export const ROLES = ["user", "agent", "system"] as const;
export type Role = (typeof ROLES)[number];

/**
 * What a message says: `{type: "text", text, partial}`, `{type: "plan", steps}` or
 * `{type: "tool", tool, args, result}`, each with further fields.
 */
export type MessageContent = JsonObject & { readonly type: string };

export interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string | null;
  /** Its place in the session, taken from the event that added it. */
  readonly seq: number;
  readonly role: Role;
  readonly content: MessageContent;
  /** False while it can still change: text that grows, a tool that works. */
  readonly complete: boolean;
  readonly at: number;
}

const GROWING_TYPES: ReadonlySet<string> = new Set(["text", "thought"]);
const WORK_TYPES: ReadonlySet<string> = new Set(["plan", "tool"]);

/** A text says whether more of it is to come: `partial` is true while it grows and false once it is whole. */
export function withPartial(content: MessageContent, complete: boolean): MessageContent {
  const { partial: before, ...rest } = content;
  if (!GROWING_TYPES.has(content.type) || before === !complete) return content;
  return { ...rest, type: content.type, partial: !complete };
}

/** Who a message comes from: plans and tool calls have the role `system`, as notices do, and are the agent's. */
export function authorOf({ role, content }: Pick<Message, "role" | "content">): Role {
  return role === "system" && WORK_TYPES.has(content.type) ? "agent" : role;
}

/** The role of a message that may come from Holdfast 0.1, where plans and tool calls had the role `agent`. */
export function currentRole(role: Role, content: MessageContent): Role {
  return role === "agent" && WORK_TYPES.has(content.type) ? "system" : role;
}

/** Statuses of a tool call that has not ended. */
const OPEN_CALL_STATUSES: readonly Json[] = ["pending", "in_progress"];

/** What a message says once its agent will say no more: a tool call that has not ended is `unfinished`. */
export function unfinishedContent(content: MessageContent): MessageContent {
  const { type, status = null } = content;
  const isOpenCall = type === "tool" && OPEN_CALL_STATUSES.includes(status);
  return isOpenCall ? { ...content, status: "unfinished" } : content;
}

/** What the transcript must say about an event, so that nobody has to read logs to understand it. */
export function noticesOf(event: SessionEvent): readonly MessageContent[] {
  switch (event.type) {
    case "run.ended": {
      const ending = runNotice(event);
      return [...(ending === null ? [] : [ending]), ...unusedNotices(event)];
    }
    case "run.retried":
      return [
        notice("run_retried", `Trying again: ${event.error.message}`, { runId: event.runId }),
      ];
    case "session.failed":
      return [notice("session_failed", `The session cannot go on: ${event.reason}`, {})];
    default:
      return [];
  }
}

/** One for each, so that the action it is about can be found by its words. */
function unusedNotices({ runId, unusedAnswers = [] }: EventOf<"run.ended">): MessageContent[] {
  return unusedAnswers.map(({ suspensionId, title }) =>
    notice(
      "answer_unused",
      `"${title}" was allowed, and the agent has not done it: its process had ended before the answer, and ` +
        "no such call was seen afterwards. Ask for it again if it is still wanted.",
      { runId, suspensionId },
    ),
  );
}

function runNotice(event: EventOf<"run.ended">): MessageContent | null {
  const { runId, result } = event;
  switch (result.outcome) {
    case "completed":
      return null;
    case "cancelled":
      return notice("run_cancelled", `Cancelled: ${result.reason}`, { runId });
    case "interrupted":
      return notice(
        "run_interrupted",
        `Interrupted: ${result.reason}. What the agent had begun may be half done; it was not repeated.`,
        { runId },
      );
    case "failed":
      return notice("run_failed", `Failed: ${result.error.message}`, {
        runId,
        code: result.error.code,
        detail: result.error.detail,
      });
    default:
      return result satisfies never;
  }
}

function notice(kind: string, text: string, more: Record<string, Json>): MessageContent {
  return { type: "text", text, notice: kind, ...more };
}
