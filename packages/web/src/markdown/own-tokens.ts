import type { MarkedToken, Token } from "marked";

/** The lexer is not extended: all tokens are its own, though its types allow for others. */
export function ownTokens(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return tokens !== undefined && areOwn(tokens) ? tokens : [];
}

function areOwn(tokens: readonly Token[]): tokens is readonly MarkedToken[] {
  return Array.isArray(tokens);
}
