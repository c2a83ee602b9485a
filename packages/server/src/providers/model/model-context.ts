import type { ModelMessage } from "ai";
import type { Message, MessageContent } from "../../domain/message.ts";
import { withoutEchoes } from "./model-tool.ts";
import { fromUser, joinNeighbours, note, toModelMessages } from "./model-messages.ts";

/** Roughly, and on the safe side for most languages. */
const CHARACTERS_PER_TOKEN = 4;
/** What an image counts as, whatever its size. */
const IMAGE_CHARACTERS = 6_000;

export interface ModelContext {
  /** Every message before this one. */
  readonly history: readonly Message[];
  readonly parts: readonly MessageContent[];
  /** What the run has brought so far, with every call answered. */
  readonly begun: readonly Message[];
  readonly toolNames: ReadonlySet<string>;
  readonly contextTokens: number;
}

/**
 * What the model is given. When that is too much, the oldest messages are left out, whole, and it is told how many.
 * The message it is to answer always stays, and so does the newest of what the run has brought.
 */
export function modelContext(context: ModelContext): ModelMessage[] {
  const { early, own, late } = partsThatFit(context);
  const messages = [
    ...(early.leftOut > 0 ? [leftOut(early.leftOut)] : []),
    ...early.kept,
    own,
    ...(late.leftOut > 0 ? [leftOut(late.leftOut)] : []),
    ...late.kept,
  ];
  return [...withUserAtBothEnds(joinNeighbours(messages))];
}

/** How much of the history is in it. */
export function historyIn(context: ModelContext): { readonly given: number; readonly of: number } {
  const { early } = partsThatFit(context);
  return { given: early.of - early.leftOut, of: early.of };
}

function partsThatFit({ history, parts, begun, toolNames, contextTokens }: ModelContext) {
  const own = fromUser(parts);
  const room = contextTokens * CHARACTERS_PER_TOKEN - sizeOf([own]);
  const translate = (messages: readonly Message[]): readonly (readonly ModelMessage[])[] =>
    withoutEchoes(messages)
      .map((message) => toModelMessages(message, toolNames))
      .filter((translated) => translated.length > 0);
  const late = newest(translate(begun), { room, atLeast: 1 });
  const early = newest(translate(history), { room: late.room, atLeast: 0 });
  return { early, own, late };
}

interface Kept {
  readonly kept: readonly ModelMessage[];
  readonly leftOut: number;
  readonly of: number;
  readonly room: number;
}

function newest(
  groups: readonly (readonly ModelMessage[])[],
  { room, atLeast }: { readonly room: number; readonly atLeast: number },
): Kept {
  let left = room;
  let from = groups.length;
  while (from > 0) {
    const size = sizeOf(groups[from - 1] ?? []);
    if (size > left && groups.length - from >= atLeast) break;
    left -= size;
    from -= 1;
  }
  // Nothing older may follow where something was left out, or the order would lie.
  return {
    kept: groups.slice(from).flat(),
    leftOut: from,
    of: groups.length,
    room: from > 0 ? 0 : left,
  };
}

function leftOut(count: number): ModelMessage {
  return note(`${count} older message${count === 1 ? " is" : "s are"} left out here`);
}

/** APIs want a user to begin, and take a model's own words at the end for the beginning of its answer. */
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
