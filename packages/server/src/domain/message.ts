import type { EventOf, SessionEvent } from "./kernel/event.ts";
import { closingNotice } from "./elicitation/closing-notice.ts";
import { isArray, isObject, type Json, type JsonObject } from "./json.ts";
import type { Suspension } from "./suspension.ts";

export const ROLES = ["user", "agent", "system"] as const;
export type Role = (typeof ROLES)[number];

/** `{type: "text", text, partial}`, `{type: "plan", steps}` or `{type: "tool", tool, args, result}`, and more fields. */
export type MessageContent = JsonObject & { readonly type: string };

export interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string | null;
  /** Its position in the session: the sequence number of the event that added it. */
  readonly seq: number;
  readonly role: Role;
  readonly content: MessageContent;
  /** False while it can still change: streamed text, a running tool. */
  readonly complete: boolean;
  readonly at: number;
}

const GROWING_TYPES: ReadonlySet<string> = new Set(["text", "thought"]);
const WORK_TYPES: ReadonlySet<string> = new Set(["plan", "tool"]);

/** Sets `partial` of a text: true while the text is streamed, false when it is complete. */
export function withPartial(content: MessageContent, complete: boolean): MessageContent {
  const { partial: before, ...rest } = content;
  if (!GROWING_TYPES.has(content.type) || before === !complete) return content;
  return { ...rest, type: content.type, partial: !complete };
}

/** The author of a message. Plans and tool calls have the role `system`, like notices, but come from the agent. */
export function authorOf({ role, content }: Pick<Message, "role" | "content">): Role {
  return role === "system" && WORK_TYPES.has(content.type) ? "agent" : role;
}

/** The tool call that a message shows; null for other messages. */
export function toolCallOf({
  runId,
  content: { type, callId },
}: Message): { readonly runId: string; readonly callId: string } | null {
  return type === "tool" && typeof callId === "string" && runId !== null ? { runId, callId } : null;
}

/** Whether a sub-agent produced it. `parent` is the `callId` of the tool call that stands for the sub-agent. */
export function isOfSubagent({ parent }: MessageContent): boolean {
  return typeof parent === "string";
}

/** Whether the server says what it did before the agent started. Agents need not know it. */
export function isPreparation({ preparation }: MessageContent): boolean {
  return preparation === true;
}

/** The role of a message that may be of version 0.1, where plans and tool calls had the role `agent`. */
export function currentRole(role: Role, content: MessageContent): Role {
  return role === "agent" && WORK_TYPES.has(content.type) ? "system" : role;
}

/** Appends text to an incomplete message: to its text, or to the last terminal in the output of a tool call. */
export function grownContent(content: MessageContent, more: string): MessageContent {
  if (content.type !== "tool") return { ...content, text: textOf(content) + more };
  const { output: items = null } = content;
  const output = isArray(items) ? items : [];
  const last = output.at(-1) ?? null;
  const isTerminal = isObject(last) && last["type"] === "terminal";
  const grown: Json = isTerminal
    ? { ...last, text: textOf(last) + more }
    : { type: "terminal", text: more };
  return { ...content, output: [...(isTerminal ? output.slice(0, -1) : output), grown] };
}

function textOf({ text }: JsonObject): string {
  return typeof text === "string" ? text : "";
}

/** Statuses of a tool call that has not ended. */
const OPEN_CALL_STATUSES: readonly Json[] = ["pending", "in_progress"];

/** The content after the agent has stopped: a tool call that has not ended is `unfinished`. */
export function unfinishedContent(content: MessageContent): MessageContent {
  const { type, status = null } = content;
  const isOpenCall = type === "tool" && OPEN_CALL_STATUSES.includes(status);
  return isOpenCall ? { ...content, status: "unfinished" } : content;
}

/** The notices that explain an event in the transcript, so that nobody has to read logs. */
export function noticesOf(
  event: SessionEvent,
  /** What the session waited for before the event. */
  open: readonly Suspension[] = [],
): readonly MessageContent[] {
  switch (event.type) {
    case "suspension.closed": {
      const { suspensionId, closing } = event;
      const closed = open.find(({ id }) => id === suspensionId);
      // Other questions are shown with their tool call, or as a message.
      if (closed?.kind !== "elicitation") return [];
      return [notice("elicitation", closingNotice(closed, closing), { suspensionId })];
    }
    case "run.ended": {
      const ending = runNotice(event);
      return [...(ending === null ? [] : [ending]), ...unusedNotices(event)];
    }
    case "message.steered":
      return event.outcome === "unknown" ? [steeringNotice(event)] : [];
    case "run.retried":
      return [
        notice("run_retried", `Trying again: ${event.error.message}`, { runId: event.runId }),
      ];
    case "session.rewound":
      return [rewindNotice(event)];
    case "session.failed":
      return [notice("session_failed", `The session failed: ${event.reason}`, {})];
    default:
      return [];
  }
}

/** One notice for each answer, so that a search for the action finds it. */
function unusedNotices({ runId, unusedAnswers = [] }: EventOf<"run.ended">): MessageContent[] {
  return unusedAnswers.map(({ suspensionId, title }) =>
    notice(
      "answer_unused",
      `"${title}" was allowed, but the agent did not do it: its process had ended before the answer, and ` +
        "it made no such call afterwards. If you still want it, ask for it again.",
      { runId, suspensionId },
    ),
  );
}

function rewindNotice({ rewind }: EventOf<"session.rewound">): MessageContent {
  const { id, runId, runIds, files, undoes } = rewind;
  const parts = [
    ...(runIds.length === 0
      ? []
      : [`the conversation (${runIds.length === 1 ? "1 run" : `${runIds.length} runs`})`]),
    ...(files === null ? [] : ["the files"]),
  ].join(" and ");
  const text =
    undoes === null
      ? `Rewound: ${parts} went back to the state before a run. What followed was taken back.`
      : `The last rewind was undone: ${parts} returned.`;
  return notice("rewound", text, { rewindId: id, runId });
}

function steeringNotice({ runId, messageId }: EventOf<"message.steered">): MessageContent {
  return notice(
    "steering_unknown",
    "The work was cut off while this message was being given to the running agent. Nobody knows whether the agent got it. " +
      "It was not given again. If you still want it, send it again.",
    { runId, messageId },
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
        `Interrupted: ${result.reason}. The agent's work may be incomplete. It was not repeated.`,
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
