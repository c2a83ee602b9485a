import { Lexer, type MarkedToken, type Token, type TokensList } from "marked";

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

/** The lexer is not extended: all tokens are its own, though its types allow for others. */
export function ownTokens(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return tokens !== undefined && areOwn(tokens) ? tokens : [];
}

function areOwn(tokens: readonly Token[]): tokens is readonly MarkedToken[] {
  return Array.isArray(tokens);
}

/** Deeper lists and quotations are shown as they are written. */
const MAX_DEPTH = 30;
/** A paragraph with so many signs is no text with emphasis, and would take seconds to read as one. */
const MAX_SIGNS = 400;
const MAX_INLINE = 50_000;

/** Takes a time that grows with the length of a text, whatever somebody puts into it. */
class BoundedLexer extends Lexer {
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

/** Every line ends with a single newline, whatever system the text is from. */
export function normalLines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/gu, "\n") : text;
}
