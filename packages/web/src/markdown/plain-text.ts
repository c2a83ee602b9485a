import type { MarkedToken, Tokens } from "marked";
import { decodeEntities } from "./decode-entities.ts";
import { lexTokens, normalLines, ownTokens } from "./lex-blocks.ts";

/** Markdown as plain text, for copying. */
export function plainText(markdown: string): string {
  return blocksText(lexTokens(normalLines(markdown))).trim();
}

function blocksText(tokens: readonly MarkedToken[], gap = "\n\n"): string {
  return tokens
    .map(blockText)
    .filter((text) => text !== "")
    .join(gap);
}

function blockText(token: MarkedToken): string {
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "hr":
      return "---";
    case "code":
    case "html":
      return token.text.trimEnd();
    case "blockquote":
      return blocksText(ownTokens(token.tokens));
    case "list":
      return listText(token);
    case "table":
      return [token.header, ...token.rows]
        .map((cells) => cells.map(({ tokens }) => inlineText(ownTokens(tokens))).join("\t"))
        .join("\n");
    case "heading":
    case "paragraph":
      return inlineText(ownTokens(token.tokens));
    default:
      return inlineText([token]);
  }
}

function listText({ items, ordered, start, loose }: Tokens.List): string {
  return items
    .map(({ tokens }, index) => {
      const sign = ordered ? `${Number(start) + index}.` : "-";
      const text = blocksText(ownTokens(tokens), "\n").replace(/^(\[[ x]\] )\n/u, "$1");
      return `${sign} ${text.replaceAll("\n", `\n${" ".repeat(sign.length + 1)}`)}`;
    })
    .join(loose ? "\n\n" : "\n");
}

function inlineText(tokens: readonly MarkedToken[]): string {
  return tokens.map(pieceText).join("");
}

function pieceText(token: MarkedToken): string {
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return inlineText(ownTokens(token.tokens));
    case "text":
      return token.tokens === undefined
        ? decodeEntities(token.text)
        : inlineText(ownTokens(token.tokens));
    case "link": {
      const text = inlineText(ownTokens(token.tokens));
      return text === token.href || token.autolink === true ? text : `${text} (${token.href})`;
    }
    case "image":
      return `${token.text} (${token.href})`;
    case "br":
      return "\n";
    case "checkbox":
      return token.checked ? "[x] " : "[ ] ";
    case "codespan":
    case "escape":
    case "html":
      return token.text;
    default:
      return token.raw;
  }
}
