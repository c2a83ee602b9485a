import { defined } from "../../domain/defined.ts";
import { lastLineOf } from "../../domain/kernel/last-turn.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { AgentReport, OutputPlace, ReportPlace } from "../../providers/provider.ts";
import { StorageFault } from "../../storage/fault.ts";
import type {
  Appended,
  AppendRefused,
  Fence,
  Output,
  OutputItem,
  Store,
} from "../../storage/store.ts";
import { sleep } from "../sleep.ts";
import { writeCursor } from "../take-up/agent-cursor.ts";
import { createWaitingOutput } from "./waiting-output.ts";

/** A longer text continues in another message. */
const MAX_TEXT = 256 * 1024;
/** A longer text is stored in pieces of this length. */
const MAX_PIECE = 64 * 1024;
/** How long the writer rests after a full batch, in times of its length. */
const REST_FACTOR = 2;
/** A database that was away is no reason for a long rest. */
const MAX_REST_MS = 50;
/** As much as is needed to find the last line. */
const MAX_LAST_WORDS = 2_000;
/** Ended tool calls that are remembered, so that a late report does not change them. */
const MAX_ENDED_TOOLS = 2_000;

export type TranscriptWriter = ReturnType<typeof createTranscriptWriter>;

export type TranscriptReport = Extract<
  AgentReport,
  { report: "text" | "message" | "plan" | "tool" | "output" }
>;

/** The messages of a run that an earlier agent or an earlier server has stored. */
export interface StoredMessages {
  readonly tools: readonly StoredTool[];
  /** The open text of each speaker, and its plan. */
  readonly texts?: ReadonlyMap<string, string>;
  readonly plans?: ReadonlyMap<string, string>;
}

export interface StoredTool {
  readonly callId: string;
  readonly messageId: string;
  readonly ended: boolean;
}

export interface TranscriptWriterOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly runId: string;
  readonly fence: Fence;
  readonly clock: () => number;
  readonly newId: () => string;
  /** The output is stored and may be shown. `lagMs`: the time since its oldest report. */
  readonly onStored: (stored: StoredOutput & { readonly lagMs: number }) => void;
  /** The database failed. The output is lost, and with it the run. */
  readonly onFailure: (error: unknown) => void;
}

/** Items, with the sequence numbers of their entries in the log. */
export interface StoredOutput extends Pick<Appended, "firstSeq" | "lastSeq" | "at"> {
  readonly runId: string;
  readonly items: readonly OutputItem[];
}

/**
 * Turns the reports of an agent into messages of the run. A single report is stored at once. Reports that arrive during
 * that are the next batch, in which text of the same message is joined.
 */
export function createTranscriptWriter(options: TranscriptWriterOptions) {
  const { store, sessionId, runId, fence, clock, newId } = options;
  const waiting = createWaitingOutput();
  let storing: Promise<void> | null = null;
  let isOver = false;
  /** The sequence number of the last stored output. */
  let after = 0;
  const recent = createRecentOutput();

  /** The open text of the agent, and of each sub-agent: several can speak at once. */
  const texts = new Map<string, { readonly id: string; readonly key: string; length: number }>();
  const planIds = new Map<string, string>();
  const tools = new Map<string, { readonly id: string; readonly ended: boolean }>();
  const endedTools: string[] = [];
  /** What an earlier server has stored of the same agent's output. */
  let earlier: StoredMessages | null = null;
  const repeatedTools = new Set<string>();
  /** The end of the last text of the agent itself. */
  let lastWords = "";
  /** The place of the report that is being put. */
  let place: OutputPlace | null = null;
  /** The report that is being put is stored already. */
  let isRepeated = false;

  const add = (item: OutputItem, size: number): void => {
    if (!isOver && !isRepeated) waiting.add(item, size, place);
  };

  const endText = (speaker: string): void => {
    const text = texts.get(speaker);
    if (text !== undefined) add({ put: "end", messageId: text.id }, 0);
    texts.delete(speaker);
  };

  const endTexts = (): void => {
    for (const speaker of texts.keys()) endText(speaker);
  };

  const addMessage = (
    role: "agent" | "system",
    content: MessageContent,
    complete: boolean,
  ): string => {
    const id = newId();
    add({ put: "message", message: { id, role, content }, complete }, sizeOf(content));
    return id;
  };

  const putText = (report: Extract<AgentReport, { report: "text" }>): void => {
    for (const piece of piecesOf(report.text, MAX_PIECE)) putPiece({ ...report, text: piece });
  };

  const putPiece = ({
    voice,
    part,
    text: more,
    parent,
  }: Extract<AgentReport, { report: "text" }>): void => {
    const key = `${voice}/${part ?? ""}`;
    const speaker = parent ?? AGENT;
    const open = texts.get(speaker);
    const isEnded = open !== undefined && (open.key !== key || open.length >= MAX_TEXT);
    if (isEnded) endText(speaker);
    const text = isEnded ? undefined : open;
    if (parent === undefined && voice !== "thought")
      lastWords = `${text === undefined ? "" : lastWords}${more}`.slice(-MAX_LAST_WORDS);
    if (text === undefined) {
      const type = voice === "thought" ? "thought" : "text";
      const added = addMessage("agent", { type, text: more, ...defined({ parent }) }, false);
      const id = isRepeated ? earlier?.texts?.get(speaker) : added;
      if (id !== undefined) texts.set(speaker, { id, key, length: more.length });
      return;
    }
    text.length += more.length;
    if (isRepeated || waiting.extend(text.id, more, place)) return;
    add({ put: "text", messageId: text.id, text: more }, more.length);
  };

  /** Only the newest of several waiting versions of a message is stored. */
  const replace = (messageId: string, content: MessageContent, complete: boolean): void => {
    if (!isOver && !isRepeated)
      waiting.replace(messageId, { content, complete }, sizeOf(content), place);
  };

  const putPlan = (content: MessageContent): void => {
    const speaker = speakerOf(content);
    endText(speaker);
    const planId = planIds.get(speaker);
    if (planId === undefined) {
      const added = addMessage("system", content, false);
      const id = isRepeated ? earlier?.plans?.get(speaker) : added;
      if (id !== undefined) planIds.set(speaker, id);
    } else replace(planId, content, false);
  };

  const putTool = ({ callId, content, ended }: Extract<AgentReport, { report: "tool" }>): void => {
    const tool = tools.get(callId);
    if (isRepeated) {
      if (!repeatedTools.has(callId)) endText(speakerOf(content));
      return void repeatedTools.add(callId);
    }
    if (tool?.ended === true) return;
    if (tool === undefined) {
      endText(speakerOf(content));
      tools.set(callId, { id: addMessage("system", content, ended), ended });
    } else {
      replace(tool.id, content, ended);
      tools.set(callId, { id: tool.id, ended });
    }
    if (ended) forgetOld(callId);
  };

  const putOutput = ({ callId, text: more }: Extract<AgentReport, { report: "output" }>): void => {
    const tool = tools.get(callId);
    if (tool === undefined || tool.ended) return;
    for (const piece of piecesOf(more, MAX_PIECE)) {
      if (isRepeated || waiting.extend(tool.id, piece, place)) continue;
      add({ put: "text", messageId: tool.id, text: piece }, piece.length);
    }
  };

  const forgetOld = (ended: string): void => {
    endedTools.push(ended);
    const oldest = endedTools.length > MAX_ENDED_TOOLS ? endedTools.shift() : undefined;
    if (oldest !== undefined) tools.delete(oldest);
  };

  const append = ({ items, at, place: last }: OutputBatch): Promise<Appended | AppendRefused> => {
    const output = { sessionId, runId, fence, durable: false, after, items, at };
    return store.append(last === null ? output : { ...output, agentCursor: writeCursor(last) });
  };

  /** A database that crashed can lack output that it confirmed. That is stored first, under the same numbers. */
  const storeBatch = async (batch: OutputBatch): Promise<Appended | AppendRefused> => {
    let stored = await append(batch);
    if (!stored.ok && stored.refused === "output_lost") {
      const lost = recent.after(stored.lastSeq);
      after = stored.lastSeq;
      for (const earlier of lost) {
        const again = await append(earlier);
        if (!again.ok) return again;
        after = again.lastSeq;
      }
      stored = await append(batch);
    }
    if (!stored.ok) return stored;
    after = stored.lastSeq;
    if (store.isShared) recent.add(batch, stored);
    return stored;
  };

  const storeAll = async (): Promise<void> => {
    // Reports that were read together are stored together.
    await Promise.resolve();
    for (let batch = waiting.take(); batch !== null; batch = waiting.take()) {
      const { items, size, place: last, oldestAt, isFull } = batch;
      const startedAt = performance.now();
      try {
        const stored = await storeBatch({ items, at: clock(), size, place: last });
        if (stored.ok)
          options.onStored({ runId, items, ...stored, lagMs: performance.now() - oldestAt });
        else giveUp();
      } catch (error) {
        giveUp();
        options.onFailure(error);
      }
      waiting.settle(batch);
      // An agent that fills every batch leaves most of the time to others, where all share one writer.
      const restMs = REST_FACTOR * (performance.now() - startedAt);
      if (isFull && !store.isShared) await sleep(Math.min(restMs, MAX_REST_MS));
    }
    storing = null;
  };

  /** The run is over, another node has it, or the database failed: nothing more is stored. */
  const giveUp = (): void => {
    isOver = true;
    waiting.clear();
  };

  const kick = (): void => {
    if (!waiting.isEmpty) storing ??= storeAll();
  };

  return {
    /** What the agent has written so far, and the server about it. */
    get total() {
      return waiting.total;
    },
    /** The last line that the agent said; null if it said nothing. */
    get lastLine() {
      return lastLineOf(lastWords);
    },
    /** Takes a report. The next one must wait for the promise, if there is one. */
    put(report: TranscriptReport, at?: ReportPlace): Promise<void> | undefined {
      if (isOver) return undefined;
      place = at ?? null;
      isRepeated = at?.isStored ?? false;
      switch (report.report) {
        case "text":
          putText(report);
          break;
        case "message":
          endText(speakerOf(report.content));
          addMessage("agent", report.content, true);
          break;
        case "plan":
          putPlan(report.content);
          break;
        case "tool":
          putTool(report);
          break;
        case "output":
          putOutput(report);
          break;
        default:
          report satisfies never;
      }
      place = null;
      isRepeated = false;
      kick();
      return waiting.room();
    },
    /**
     * Takes over messages of the run: later reports change them. Must be called before the first report, with the last
     * sequence number of the log.
     */
    adopt(messages: StoredMessages, lastSeq: number): void {
      after = Math.max(after, lastSeq);
      earlier = messages;
      for (const { callId, messageId, ended } of messages.tools)
        tools.set(callId, { id: messageId, ended });
    },
    /** Adds a complete message of the server about the run. */
    say(content: MessageContent): void {
      endTexts();
      addMessage("system", content, true);
      kick();
    },
    /** Completes the last texts: the prompt has ended. */
    endText(): void {
      endTexts();
      kick();
    },
    /** Resolves when all reports so far are stored, or refused because the run is over. */
    flush: (): Promise<void> => waiting.flush(),
  };
}

/** Output that is stored together. `size` is the approximate number of characters. */
interface OutputBatch extends Pick<Output, "items" | "at"> {
  readonly size: number;
  readonly place: OutputPlace | null;
}

/** PostgreSQL writes commits that are not durable to the disk within 0.6 s. */
const RECENT_MS = 2_000;
const MAX_RECENT = 1024 * 1024;

/**
 * Keeps the newest output that the database has confirmed. Streamed output is not durable at once: a database that crashes
 * can lose the newest part, which is then stored again.
 */
function createRecentOutput() {
  const batches: { batch: OutputBatch; firstSeq: number; storedAt: number }[] = [];
  let size = 0;
  return {
    add(batch: OutputBatch, { firstSeq }: Appended): void {
      const storedAt = performance.now();
      batches.push({ batch, firstSeq, storedAt });
      size += batch.size;
      for (let oldest = batches[0]; oldest !== undefined; oldest = batches[0]) {
        if (size <= MAX_RECENT && oldest.storedAt >= storedAt - RECENT_MS) return;
        batches.shift();
        size -= oldest.batch.size;
      }
    },
    /** The output that was stored after this sequence number. Throws when some of it is no longer kept. */
    after(seq: number): readonly OutputBatch[] {
      const lost = batches.filter(({ firstSeq }) => firstSeq > seq);
      if (lost[0]?.firstSeq !== seq + 1)
        throw new StorageFault("database_error", "The database lost output that it had confirmed.");
      return lost.map(({ batch }) => batch);
    },
  };
}

/** Cuts a text into pieces, never within a character. */
function* piecesOf(text: string, longest: number): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + longest);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** The agent itself, as a speaker. Tool calls have longer IDs. */
const AGENT = "";

export function speakerOf({ parent }: MessageContent): string {
  return typeof parent === "string" ? parent : AGENT;
}

function sizeOf(content: MessageContent): number {
  return typeof content["text"] === "string"
    ? content["text"].length
    : JSON.stringify(content).length;
}
