import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { isObject } from "@holdfast/client";
import { grownContent, type Message, type MessageContent } from "@holdfast/protocol";
import { textOf } from "../../text-of.ts";
import { textBlock, toBlocks } from "./blocks.ts";
import {
  changedFields,
  terminalsOf,
  toolView,
  type TerminalOutput,
  type ToolOptions,
  type ToolView,
} from "./tool-updates.ts";

/** Translates the messages of a session into updates for one editor. It remembers what the editor has of those that change. */
export interface Translator {
  /** A new message, or a new state of one. */
  message(message: Message): SessionUpdate[];
  /** Text for an incomplete message. Nothing for a message that the editor does not have. */
  delta(messageId: string, text: string): SessionUpdate[];
  /** The editor has the message as it is now. */
  assume(message: Message): void;
  /** A tool call that can still change; null if there is none with this ID. */
  tool(callId: string): ToolView | null;
}

interface Shown {
  readonly content: MessageContent;
  readonly tool: ToolView | null;
}

/** Notices about the end of a run, which the reply to its prompt reports. */
const ENDINGS: ReadonlySet<string> = new Set(["run_failed", "run_cancelled", "run_interrupted"]);

export function createTranslator({
  isReported,
  ...tools
}: ToolOptions & {
  /** Whether the end of a run is reported in another way. */
  readonly isReported: (runId: string) => boolean;
}): Translator {
  /** The messages that can still change, as the editor has them. */
  const shown = new Map<string, Shown>();

  const show = (message: Message): SessionUpdate[] => {
    const { id, role, content } = message;
    const before = shown.get(id) ?? null;
    const tool = content.type === "tool" ? toolView(id, content, tools) : null;
    if (message.complete) shown.delete(id);
    else shown.set(id, { content, tool });
    if (tool !== null) return toolUpdates(tool, content, before, tools);
    if (content.type === "plan") return [planUpdate(content)];
    if (role === "user") return before === null ? chunks("user_message_chunk", message) : [];
    if (isEnding(content, isReported)) return [];
    const name = content.type === "thought" ? "agent_thought_chunk" : "agent_message_chunk";
    if (before === null) return chunks(name, message);
    return rest(name, message, textOf(before.content["text"]) ?? "");
  };

  return {
    message: show,
    delta(messageId, text) {
      const before = shown.get(messageId);
      if (before === undefined) return [];
      const content = grownContent(before.content, text);
      if (before.tool === null) {
        shown.set(messageId, { content, tool: null });
        const name = content.type === "thought" ? "agent_thought_chunk" : "agent_message_chunk";
        return [chunk(name, messageId, text)];
      }
      const tool = toolView(messageId, content, tools);
      shown.set(messageId, { content, tool });
      return toolUpdates(tool, content, before, tools);
    },
    assume({ id, content, complete }) {
      if (complete) return;
      const tool = content.type === "tool" ? toolView(id, content, tools) : null;
      shown.set(id, { content, tool });
    },
    tool: (callId) =>
      [...shown.values()].find(({ tool }) => tool?.toolCallId === callId)?.tool ?? null,
  };
}

type ChunkName = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

function chunk(sessionUpdate: ChunkName, messageId: string, text: string): SessionUpdate {
  return { sessionUpdate, messageId, content: textBlock(text) };
}

function chunks(sessionUpdate: ChunkName, { id, content }: Message): SessionUpdate[] {
  return toBlocks(content)
    .filter((block) => block.type !== "text" || block.text !== "")
    .map((block) => ({ sessionUpdate, messageId: id, content: block }));
}

/** The text that the editor does not have yet. What it has cannot be taken back. */
function rest(name: ChunkName, { id, content }: Message, before: string): SessionUpdate[] {
  const text = textOf(content["text"]) ?? "";
  if (!text.startsWith(before)) return [chunk(name, id, `\n\n${text}`)];
  return text.length === before.length ? [] : [chunk(name, id, text.slice(before.length))];
}

function toolUpdates(
  tool: ToolView,
  content: MessageContent,
  before: Shown | null,
  { terminals }: ToolOptions,
): SessionUpdate[] {
  const known = before?.tool ?? null;
  if (!terminals) return callUpdates(tool, known);
  const id = tool.toolCallId;
  const old = new Map(
    before === null ? [] : terminalsOf(id, before.content).map((one) => [one.terminalId, one]),
  );
  const all = terminalsOf(id, content);
  const added = all.filter(({ terminalId }) => !old.has(terminalId));
  return [
    ...(added.length === 0
      ? callUpdates(tool, known)
      : added.map(({ terminalId }) => newTerminal(tool, terminalId))),
    ...all.flatMap((terminal) =>
      terminalUpdates(id, terminal, old.get(terminal.terminalId) ?? null),
    ),
  ];
}

function callUpdates(tool: ToolView, known: ToolView | null): SessionUpdate[] {
  if (known === null) return [{ ...tool, sessionUpdate: "tool_call" }];
  const changes = changedFields(known, tool);
  return changes === null ? [] : [{ ...changes, sessionUpdate: "tool_call_update" }];
}

/** Editors make a terminal for the output of an agent's command only with a whole call. */
function newTerminal(tool: ToolView, terminalId: string): SessionUpdate {
  const _meta = { terminal_info: { terminal_id: terminalId } };
  return { ...tool, sessionUpdate: "tool_call", _meta };
}

/** The output of a terminal that the editor did not make, in the fields of `_meta` that editors know. */
function terminalUpdates(
  toolCallId: string,
  { terminalId, text, exitCode, signal, hasExited }: TerminalOutput,
  before: TerminalOutput | null,
): SessionUpdate[] {
  const update = (_meta: Record<string, unknown>): SessionUpdate => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    _meta,
  });
  const shown = before?.text ?? "";
  const data = text.startsWith(shown) ? text.slice(shown.length) : `\n${text}`;
  return [
    ...(data === "" ? [] : [update({ terminal_output: { terminal_id: terminalId, data } })]),
    ...(hasExited && before?.hasExited !== true
      ? [update({ terminal_exit: { terminal_id: terminalId, exit_code: exitCode, signal } })]
      : []),
  ];
}

function planUpdate(content: MessageContent): SessionUpdate {
  const { steps, text } = content as Readonly<Record<string, unknown>>;
  const entries = (Array.isArray(steps) ? steps : []).filter(isObject).map(entryOf);
  const written = textOf(text);
  return {
    sessionUpdate: "plan",
    entries:
      entries.length > 0 || written === null
        ? entries
        : [{ content: written, priority: "medium", status: "in_progress" }],
  };
}

function entryOf({ content, priority, status }: Readonly<Record<string, unknown>>): PlanEntry {
  return {
    content: textOf(content) ?? "",
    priority: priority === "high" || priority === "low" ? priority : "medium",
    status: status === "completed" || status === "in_progress" ? status : "pending",
  };
}

function isEnding(
  { notice, runId }: MessageContent,
  isReported: (runId: string) => boolean,
): boolean {
  return (
    typeof notice === "string" &&
    ENDINGS.has(notice) &&
    typeof runId === "string" &&
    isReported(runId)
  );
}
