import { textOfBlock } from "../translate/content-block.ts";
import { looseList, looseObject, type Loose } from "../wire/loose.ts";
import { GrowingText } from "./growing-text.ts";
import { Recent } from "./recent.ts";

const MAX_MESSAGES = 1_000;

/** The update with which a chunk of the message comes. */
type Kind = "agent_message_chunk" | "agent_thought_chunk";

/** What has come of a message. */
interface Known {
  text: GrowingText;
  /** Blocks other than text. */
  blocks: number;
  /** How often the agent has replaced the message by another text. */
  edition: number;
}

/**
 * Turns whole messages into chunks. A message can come in chunks, as a whole, or both; only what is new is passed on.
 * A message that is replaced by another text becomes a new one, because what was shown cannot be taken back.
 */
export class Messages {
  readonly #known = new Recent<Known>(MAX_MESSAGES);

  /** Notes a chunk, and returns it. */
  chunk(sessionId: string, kind: Kind, update: Loose): readonly Loose[] {
    const { messageId, content } = update;
    if (typeof messageId !== "string" || messageId === "") return [update];
    const known = this.#get(`${sessionId} ${kind} ${messageId}`);
    note(known, content);
    return [{ ...update, messageId: partOf(messageId, known) }];
  }

  /** The chunks of a whole message that have not come before. */
  whole(sessionId: string, kind: Kind, update: Loose): readonly Loose[] {
    const { messageId, content, ...rest } = update;
    const id = typeof messageId === "string" ? messageId : "";
    const known = this.#get(`${sessionId} ${kind} ${id}`);
    const blocks = looseList(content);
    const text = blocks.map((block) => textOfBlock(block) ?? "").join("");
    const others = blocks.filter((block) => textOfBlock(block) === null);
    // A shorter text was shown before, as far as anybody can tell.
    const added = text.length < known.text.length ? "" : known.text.restOf(text);
    if (added === null) {
      known.text = new GrowingText();
      known.edition += 1;
    }
    const news = [
      ...(added === "" ? [] : [{ type: "text", text: added ?? text }]),
      ...others.slice(known.blocks).flatMap((block) => looseObject(block) ?? []),
    ];
    return news.map((block) => {
      note(known, block);
      return { ...rest, sessionUpdate: kind, messageId: partOf(id, known), content: block };
    });
  }

  #get(key: string): Known {
    const known = this.#known.get(key) ?? { text: new GrowingText(), blocks: 0, edition: 1 };
    this.#known.set(key, known);
    return known;
  }
}

function note(known: Known, block: unknown): void {
  const text = textOfBlock(block);
  if (text === null) known.blocks += 1;
  else known.text.add(text);
}

function partOf(messageId: string, { edition }: Known): string {
  return edition === 1 ? messageId : `${messageId} ${edition}`;
}
