import type { Json } from "../domain/json.ts";

/** Characters of one message that are searchable; the rest of a huge one is not. */
const SEARCHED_CHARACTERS = 32_768;
const WORD_CHARACTERS = 64;

/**
 * The words of a text as both databases index them: no accents, no case, letters and digits only.
 * Done here and not by their tokenizers, which disagree about paths, hosts and numbers.
 */
export function searchWords(text: string): readonly string[] {
  const plain = text
    .slice(0, SEARCHED_CHARACTERS)
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ς", "σ"); // lower case depends on the end of the word, which a prefix does not know
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.map((word) => word.slice(0, WORD_CHARACTERS));
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
