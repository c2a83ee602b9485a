import {
  Lexer,
  Tokenizer,
  type MarkedToken,
  type Token,
  type Tokens,
  type TokensList,
} from "marked";

/** A block of Markdown: a paragraph, a list, a code block. */
export interface Block {
  /** The offset in the text; identifies the block while the text grows. */
  readonly start: number;
  /** The source, with the blank lines after it. */
  readonly raw: string;
  readonly token: MarkedToken;
}

/** The visible blocks, without blank lines and link definitions. */
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

/** The text is untrusted: input that breaks the lexer is shown unchanged. */
export function lexTokens(text: string): readonly MarkedToken[] {
  try {
    return ownTokens(new BoundedLexer().lex(text));
  } catch {
    const plain = { type: "text" as const, raw: text, text };
    return [{ type: "paragraph", raw: text, text, tokens: [plain] }];
  }
}

/** Narrows the type: without extensions the lexer produces only its own tokens. */
export function ownTokens(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return tokens !== undefined && areOwn(tokens) ? tokens : [];
}

function areOwn(tokens: readonly Token[]): tokens is readonly MarkedToken[] {
  return Array.isArray(tokens);
}

/** Deeper lists and quotes are shown as source. */
const MAX_DEPTH = 30;
/** A paragraph with more markup characters would take seconds to parse. */
const MAX_SIGNS = 400;
const MAX_INLINE = 50_000;
/** Missing cells are added to each row of a table. A table with more cells than this for each character is shown as source. */
const MAX_CELLS_PER_CHARACTER = 2;
const MIN_CELLS = 500;
/** A longer address without brackets around it is shown as text. */
const MAX_ADDRESS = 2_000;
const MAX_PARENTHESES = 20;
/** Each line of a list item starts a search for the underline of a heading: it ends after so many characters. */
const MAX_UNDERLINED = 1_000;
/** The rest of a quote is read again after each heading in it: a longer quote is shown as several. */
const MAX_QUOTE = 10_000;
/** The search for the text of a task takes the square of the tasks in a list: a longer list is shown as several. */
const MAX_LIST = 50_000;
/** Each character of a word starts a search for "@": a word that is longer than a mail address is read in pieces. */
const MAX_MAIL = 300;
const LONG_WORD = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?_\`{|}~-]{${2 * MAX_MAIL}}`, "u");
/** The parser does not count the depth of quotes that begin in one line and go on in a line without their signs. */
const DEEP_QUOTE = new RegExp(`^(?:[ \\t]{0,4}>){${MAX_DEPTH}}`, "u");

/** A lexer with linear time for any input. */
class BoundedLexer extends Lexer {
  #depth = 0;

  constructor() {
    super({ gfm: true, tokenizer: new BoundedTokenizer() });
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

class BoundedTokenizer extends Tokenizer {
  override table(src: string): Tokens.Table | undefined {
    const [source = "", header = "", , rows = ""] = this.rules.block.table.exec(src) ?? [];
    const cells = header.split("|").length * rows.split("\n").length;
    if (cells > MIN_CELLS + MAX_CELLS_PER_CHARACTER * source.length) return undefined;
    return super.table(src);
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return DEEP_QUOTE.test(src) ? undefined : super.blockquote(firstLines(src, MAX_QUOTE));
  }

  override list(src: string): Tokens.List | undefined {
    return super.list(firstLines(src, MAX_LIST));
  }

  override lheading(src: string): Tokens.Heading | undefined {
    return super.lheading(firstLines(src, MAX_UNDERLINED));
  }

  override inlineText(src: string): Tokens.Text | undefined {
    return super.inlineText(LONG_WORD.test(src) ? src.slice(0, MAX_MAIL) : src);
  }

  override url(src: string): Tokens.Link | undefined {
    return isCostlyAddress(src) ? undefined : super.url(src);
  }
}

/** The lines within this length, but at least one line. */
function firstLines(src: string, length: number): string {
  if (src.length <= length) return src;
  const end = src.lastIndexOf("\n", length);
  return end > 0 ? src.slice(0, end) : src.split("\n", 1).join("");
}

/** The search for the end of an address takes the square of its opening parentheses. */
function isCostlyAddress(src: string): boolean {
  if (!/^(?:https?:|ftp:|www\.)/iu.test(src)) return false;
  const [address = ""] = src.slice(0, MAX_ADDRESS + 1).split(/\s/u, 1);
  return address.length > MAX_ADDRESS || address.split("(").length > MAX_PARENTHESES;
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

const SIGNS = "_*[]~`<>!";

/** Normalises line ends to a newline. */
export function normalLines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/gu, "\n") : text;
}
