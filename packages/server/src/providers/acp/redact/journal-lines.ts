import { NOTHING_HELD, type HeldText, type Redactor } from "../../secrets/redactor.ts";
import { textOfBlock } from "../translate/content-block.ts";
import { looseObject } from "../wire/loose.ts";
import type { Frame } from "../wire/parse-frame.ts";

/** Calls whose output is followed at a time. */
const MAX_STREAMS = 100;

interface Chunk {
  /** Chunks of the same stream belong together. */
  readonly stream: string;
  readonly text: string;
}

/**
 * Prepares an agent's lines for the journal, which removes secrets from each line: this removes pieces of a secret that
 * are in several lines. A line without them stays as it is.
 */
export function createJournalLines(redactor: Redactor): (line: string, frame: Frame) => string {
  const helds = new Map<string, HeldText>();

  const clean = ({ stream, text }: Chunk): string => {
    const next = redactor.next(helds.get(stream) ?? NOTHING_HELD, text);
    const rest = redactor.release(next.held);
    helds.set(stream, rest.held);
    if (helds.size > MAX_STREAMS) forgetOldest(helds);
    return rest.text === "" ? next.text : next.text + rest.text;
  };

  return (line, frame) => {
    if (frame.frame !== "notification" || frame.method !== "session/update") return line;
    const chunk = chunkOf(frame.params);
    if (chunk === null) return line;
    const text = clean(chunk);
    if (text === chunk.text) return line;
    const { method } = frame;
    const params: unknown = JSON.parse(JSON.stringify(frame.params), (_key, value: unknown) =>
      value === chunk.text ? text : value,
    );
    return JSON.stringify({ jsonrpc: "2.0", method, params });
  };
}

function forgetOldest(helds: Map<string, HeldText>): void {
  const oldest = helds.keys().next().value;
  if (oldest !== undefined) helds.delete(oldest);
}

function chunkOf(params: unknown): Chunk | null {
  const update = looseObject(looseObject(params)?.["update"]);
  if (update === null) return null;
  const { sessionUpdate, toolCallId, content, _meta } = update;
  if (typeof sessionUpdate !== "string") return null;
  if (toolCallId === undefined) {
    const text = textOfBlock(content);
    return text === null ? null : { stream: sessionUpdate, text };
  }
  const output = looseObject(looseObject(_meta)?.["terminal_output"]);
  const text = output?.["data"] ?? textOfBlock(looseObject(content)?.["content"]);
  if (typeof text !== "string" || typeof toolCallId !== "string") return null;
  return { stream: `${sessionUpdate} ${toolCallId}`, text };
}
