import { Lexer, type Token, type TokensList } from "marked";

/** Deeper lists and quotations are shown as they are written. */
const MAX_DEPTH = 30;
/** A paragraph with so many signs is no text with emphasis, and would take seconds to read as one. */
const MAX_SIGNS = 400;
const MAX_INLINE = 50_000;

/** Takes a time that grows with the length of a text, whatever somebody puts into it. */
export class BoundedLexer extends Lexer {
  #depth = 0;

  constructor() {
    super({ gfm: true });
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped = false): Token[] {
    if (this.#depth > MAX_DEPTH) return plain(src, tokens);
    this.#depth += 1;
    try {
      super.blockTokens(src, tokens, isClipped);
    } finally {
      this.#depth -= 1;
    }
    return tokens;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    return isTooMuch(src) ? plain(src, tokens) : super.inlineTokens(src, tokens);
  }
}

function plain(text: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: text, text, escaped: false });
  return tokens;
}

function isTooMuch(text: string): boolean {
  if (text.length > MAX_INLINE) return true;
  if (text.length <= MAX_SIGNS) return false;
  let signs = 0;
  for (let at = 0; at < text.length; at += 1) if (SIGNS.includes(text.charAt(at))) signs += 1;
  return signs > MAX_SIGNS;
}

const SIGNS = "_*[]~`<>";
