import type { ModelMessage } from "ai";
import type { Message, MessageContent } from "../../domain/message.ts";
import { withoutEchoes } from "./model-tool.ts";
import { fromUser, joinNeighbours, note, toModelMessages } from "./model-messages.ts";

/** A rough value that overestimates tokens for most languages. */
const CHARACTERS_PER_TOKEN = 4;
/** An image counts as this many characters. */
const IMAGE_CHARACTERS = 6_000;

export interface ModelContext {
  /** All earlier messages. */
  readonly history: readonly Message[];
  readonly parts: readonly MessageContent[];
  /** The messages of this run so far. Every call has a result. */
  readonly begun: readonly Message[];
  readonly toolNames: ReadonlySet<string>;
  readonly contextTokens: number;
}

/**
 * The messages for the model. If they are too long, the oldest are left out, and a note says how many. The message to
 * answer and the newest message of the run always stay.
 */
export function modelContext(context: ModelContext): ModelMessage[] {
  const { early, own, late } = fitContext(context);
  const messages = [
    ...(early.leftOut > 0 ? [omissionNote(early.leftOut)] : []),
    ...early.messages,
    own,
    ...(late.leftOut > 0 ? [omissionNote(late.leftOut)] : []),
    ...late.messages,
  ];
  return [...withUserAtBothEnds(joinNeighbours(messages))];
}

/** How many messages of the history fit. */
export function historyIn(context: ModelContext): { readonly given: number; readonly of: number } {
  const { early } = fitContext(context);
  return { given: early.of - early.leftOut, of: early.of };
}

function fitContext({ history, parts, begun, toolNames, contextTokens }: ModelContext) {
  const own = fromUser(parts);
  const room = contextTokens * CHARACTERS_PER_TOKEN - sizeOf([own]);
  const translate = (messages: readonly Message[]): readonly (readonly ModelMessage[])[] =>
    withoutEchoes(messages)
      .map((message) => toModelMessages(message, toolNames))
      .filter((translated) => translated.length > 0);
  const late = newestThatFit(translate(begun), { room, atLeast: 1 });
  const early = newestThatFit(translate(history), { room: late.room, atLeast: 0 });
  return { early, own, late };
}

interface FittingMessages {
  readonly messages: readonly ModelMessage[];
  readonly leftOut: number;
  readonly of: number;
  readonly room: number;
}

function newestThatFit(
  groups: readonly (readonly ModelMessage[])[],
  { room, atLeast }: { readonly room: number; readonly atLeast: number },
): FittingMessages {
  let left = room;
  let from = groups.length;
  while (from > 0) {
    const size = sizeOf(groups[from - 1] ?? []);
    if (size > left && groups.length - from >= atLeast) break;
    left -= size;
    from -= 1;
  }
  // If a message was left out, no older message may follow: the order would be wrong.
  return {
    messages: groups.slice(from).flat(),
    leftOut: from,
    of: groups.length,
    room: from > 0 ? 0 : left,
  };
}

function omissionNote(count: number): ModelMessage {
  return note(`${count} older message${count === 1 ? " is" : "s are"} left out here`);
}

/** APIs require a user's message first, and continue a message of the model at the end as its answer. */
function withUserAtBothEnds(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const before = messages[0]?.role === "user" ? [] : [note("The session so far")];
  const after = messages.at(-1)?.role === "assistant" ? [note("Go on")] : [];
  return [...before, ...messages, ...after];
}

function sizeOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => {
    if (typeof content === "string") return sum + content.length;
    return content.reduce(
      (partial, part) =>
        partial + (part.type === "file" ? IMAGE_CHARACTERS : JSON.stringify(part).length),
      sum,
    );
  }, 0);
}
