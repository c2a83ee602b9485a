import type { Json } from "../../domain/json.ts";

/** Characters of one message that are searchable; the rest of a huge one is not. */
export const SEARCHED_CHARACTERS = 32_768;
const WORD_CHARACTERS = 64;

/**
 * The words of a text as both databases index them: no accents, no case, letters and digits only.
 * Done here and not by their tokenizers, which disagree about paths, hosts and numbers.
 */
export function searchWords(text: string): readonly string[] {
  const words = plainText(text.slice(0, SEARCHED_CHARACTERS)).split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== "").map((word) => word.slice(0, WORD_CHARACTERS));
}

/** The same for a text as for its characters one by one, put together again. */
export function plainText(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ς", "σ"); // lower case depends on the end of the word, which a prefix does not know
}

/** Every string in a message's content, in order, except its type. */
export function searchableText(content: Json): string {
  const found: string[] = [];
  let length = 0;
  const collect = (value: Json): void => {
    if (length >= SEARCHED_CHARACTERS || value === null) return;
    if (typeof value === "string") {
      found.push(value);
      length += value.length;
    } else if (typeof value === "object") {
      for (const [key, item] of Object.entries(value)) if (key !== "type") collect(item);
    }
  };
  collect(content);
  return found.join(" ");
}
