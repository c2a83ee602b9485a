import { isObject, type Json } from "../../domain/json.ts";

/** Searchable characters per message; the rest of a longer one is not indexed. */
export const SEARCHED_CHARACTERS = 32_768;
const WORD_CHARACTERS = 64;

/**
 * The words of a text for the index: without accents and case, letters and digits only. The tokenizers of the two databases
 * disagree about paths, hosts and numbers, so both index these words.
 */
export function searchWords(text: string): readonly string[] {
  const words = plainText(text.slice(0, SEARCHED_CHARACTERS)).split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== "").map((word) => word.slice(0, WORD_CHARACTERS));
}

/** Normalizes each character on its own, so that positions can be mapped back. */
export function plainText(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ς", "σ"); // lower case depends on the end of a word, which a prefix lacks
}

/** Every string in a message's content, in order, except its type and the IDs of tool calls, which nobody searches for. */
export function searchableText(content: Json): string {
  const texts: string[] = [];
  let length = 0;
  const collect = (value: Json): void => {
    if (length >= SEARCHED_CHARACTERS || value === null) return;
    if (typeof value === "string") {
      texts.push(value);
      length += value.length;
    } else if (typeof value === "object") {
      for (const [key, item] of Object.entries(value)) if (key !== "type") collect(item);
    }
  };
  collect(withoutIds(content));
  return texts.join(" ");
}

function withoutIds(content: Json): Json {
  if (!isObject(content)) return content;
  const { callId: _, parent: __, ...texts } = content;
  return texts;
}
