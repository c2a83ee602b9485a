import type { StreamEvent } from "@holdfast/client";
import { parseKnownContent, type Message, type ToolContent } from "@holdfast/protocol";
import { createMarkdownStyler, type Styler } from "./markdown-styler.ts";
import { contentLines, noticeLine, planLines, stepNames, userLines } from "./message-lines.ts";
import { neutralise, neutraliseLine } from "../terminal/neutralise.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { fit } from "../terminal/text-width.ts";
import { isRunning, outcomeLines, toolLine } from "./tool-lines.ts";

/** Shows messages as they arrive and grow. Repeated events are not shown again. */
export interface TranscriptView {
  take(event: StreamEvent): void;
  message(message: Message): void;
  /** The running tool call with this ID. */
  toolOf(callId: string): ToolContent | null;
  /** Shows buffered text at the end. */
  end(): void;
}

export interface TranscriptViewOptions {
  readonly screen: Screen;
  readonly paint: { readonly answer: Paint; readonly beside: Paint };
  /** The width for lines beside the answer; large where the output is not a terminal. */
  readonly columns: () => number;
  readonly isShown: (message: Message) => boolean;
}

/** The state of a shown message: its length for growing text, else its last appearance. */
interface Entry {
  readonly voice: "answer" | "thought" | null;
  length: number;
  shown: number;
  look: string;
  isWhole: boolean;
}

const SHOWN_THOUGHT = 240;
/** Limits memory when watching for weeks. */
const MAX_ENTRIES = 10_000;

export function createTranscriptView(options: TranscriptViewOptions): TranscriptView {
  const { screen, paint, columns, isShown } = options;
  const entries = new Map<string, Entry>();
  const tools = new Map<string, ToolContent>();
  const thoughts = new Map<string, string>();
  let writing: { readonly id: string; readonly styler: Styler } | null = null;
  let plan: { readonly steps: string; readonly lines: readonly string[] } | null = null;
  /** The message whose line can be replaced. */
  let liveId: string | null = null;
  const style = () => ({ paint: paint.beside, columns: columns() });

  const endText = (): void => {
    if (writing === null) return;
    screen.text(writing.styler.end());
    screen.endText();
    writing = null;
  };

  const lines = (shown: readonly string[]): void => {
    if (shown.length === 0) return;
    endText();
    liveId = null;
    screen.line(shown.join("\n"));
  };

  const live = (id: string, line: string): void => {
    endText();
    if (liveId === id) screen.relive(line);
    else screen.live(line);
    liveId = id;
  };

  const settle = (id: string, line: string): void => {
    if (liveId !== id) return lines([line]);
    screen.settle(line);
    liveId = null;
  };

  const write = (id: string, piece: string): void => {
    if (writing?.id !== id) {
      endText();
      writing = { id, styler: createMarkdownStyler(paint.answer) };
    }
    liveId = null;
    screen.text(writing.styler.push(neutralise(piece)));
  };

  const think = (id: string, piece: string): void => {
    const before = thoughts.get(id) ?? "";
    thoughts.set(id, (before + piece).slice(0, 2 * SHOWN_THOUGHT));
    if (screen.hasLive && liveId !== id) live(id, paint.beside.dim("∴ Thinking…"));
  };

  const endThought = (id: string): void => {
    const thought = neutraliseLine(thoughts.get(id) ?? "");
    thoughts.delete(id);
    if (thought !== "") settle(id, paint.beside.dim(`∴ ${fit(thought, SHOWN_THOUGHT)}`));
  };

  /** Text only grows: shows only the part beyond what was already shown. */
  const grow = (id: string, entry: Entry, piece: string): void => {
    const news = piece.slice(Math.max(0, entry.shown - entry.length));
    entry.length += piece.length;
    entry.shown = Math.max(entry.shown, entry.length);
    if (news === "") return;
    if (entry.voice === "thought") think(id, news);
    else write(id, news);
  };

  const showText = (message: Message, text: string): void => {
    const { id } = message;
    const entry = entryOf(message, message.content.type === "thought" ? "thought" : "answer");
    entry.length = 0;
    grow(id, entry, text);
    if (!message.complete) return;
    if (entry.voice === "thought") endThought(id);
    else if (writing?.id === id) endText();
  };

  const showTool = (message: Message, content: ToolContent): void => {
    const { id } = message;
    const entry = entryOf(message, null);
    const line = toolLine(content, style());
    const runs = isRunning(content) && !message.complete;
    if (content.callId !== undefined && runs) tools.set(content.callId, content);
    else if (content.callId !== undefined) tools.delete(content.callId);
    if (entry.look === line) return;
    const isNew = entry.look === "";
    entry.look = line;
    if (!runs) {
      settle(id, line);
      lines(outcomeLines(content, style()));
    } else if (isNew || (liveId === id && screen.hasLive)) live(id, line);
  };

  const showOnce = (message: Message, shown: readonly string[]): void => {
    const entry = entryOf(message, null);
    const look = shown.join("\n");
    if (entry.look !== look) lines(shown);
    entry.look = look;
  };

  /** The whole plan at first; later only the changed steps, as long as the list is the same. */
  const showPlan = (message: Message, shown: readonly string[], steps: string): void => {
    const isSame = plan?.steps === steps;
    const before = plan?.lines ?? [];
    plan = { steps, lines: shown };
    lines(isSame ? shown.filter((line, index) => line !== before[index]) : shown);
    entryOf(message, null);
  };

  const entryOf = ({ id }: Message, voice: Entry["voice"]): Entry => {
    const entry = entries.get(id) ?? { voice, length: 0, shown: 0, look: "", isWhole: false };
    entries.set(id, entry);
    if (entries.size > MAX_ENTRIES) forgetOldest(entries);
    return entry;
  };

  const show = (message: Message): void => {
    const { role } = message;
    const content = parseKnownContent(message.content);
    if (role === "user") return showOnce(message, userLines(message.content, paint.beside));
    switch (content?.type) {
      case "text":
        if (role === "system" || content.notice !== undefined)
          return showOnce(message, [noticeLine(content, paint.beside)]);
        return showText(message, content.text);
      case "thought":
        return showText(message, content.text);
      case "tool":
        return showTool(message, content);
      case "plan":
        return showPlan(message, planLines(content, paint.beside), stepNames(content));
      case undefined:
        return showOnce(message, contentLines(message.content, paint.beside));
      default:
        return content satisfies never;
    }
  };

  const take = (message: Message): void => {
    if (!isShown(message) || entries.get(message.id)?.isWhole === true) return;
    show(message);
    const entry = entries.get(message.id);
    if (entry !== undefined) entry.isWhole = message.complete;
  };

  return {
    take(event) {
      if (event.type === "message") take(event.data);
      else if (event.type === "delta") {
        const { messageId, text } = event.data;
        const entry = entries.get(messageId);
        if (entry?.isWhole === false && entry.voice !== null) grow(messageId, entry, text);
      } else if (event.type === "phase") {
        lines([paint.beside.dim(`— Phase: ${event.data.to}`)]);
      }
    },
    message: take,
    toolOf: (callId) => tools.get(callId) ?? null,
    end() {
      for (const id of thoughts.keys()) endThought(id);
      endText();
    },
  };
}

function forgetOldest(entries: Map<string, Entry>): void {
  for (const [id, { isWhole }] of entries) {
    if (!isWhole) continue;
    entries.delete(id);
    return;
  }
}
