import type { MarkedToken } from "marked";
import { BoundedLexer } from "./bounded-lexer.ts";
import { ownTokens } from "./own-tokens.ts";

/** A part of a text that stands by itself: a paragraph, a list, a piece of code. */
export interface Block {
  /** Where it begins in the text; says which block it is while the text grows. */
  readonly start: number;
  /** What it was made from, with the blank lines after it. */
  readonly raw: string;
  readonly token: MarkedToken;
}

/** Everything but blank lines and definitions of links, which show nothing. */
export function lexBlocks(text: string, from = 0): readonly Block[] {
  const blocks: Block[] = [];
  let at = from;
  for (const token of lexTokens(text)) {
    const last = blocks.at(-1);
    if (token.type !== "space" && token.type !== "def") {
      blocks.push({ start: at, raw: token.raw, token });
    } else if (last !== undefined) {
      blocks[blocks.length - 1] = { ...last, raw: last.raw + token.raw };
    }
    at += token.raw.length;
  }
  return blocks;
}

/** Agents decide what is read here: what the lexer cannot take is shown as it is. */
export function lexTokens(text: string): readonly MarkedToken[] {
  try {
    return ownTokens(new BoundedLexer().lex(text));
  } catch {
    const plain = { type: "text" as const, raw: text, text };
    return [{ type: "paragraph", raw: text, text, tokens: [plain] }];
  }
}
