import type { BoxText } from "./slash.ts";

/** A file mention being typed: its query and the position of the @. */
export interface Mention {
  readonly query: string;
  readonly start: number;
}

/** The mention at the caret: an @ at the start of a word; null when there is none. */
export function mentionAt(text: string, caret: number): Mention | null {
  const typed = /(?<=^|[\s("'`[{,;:])@([^\s@"]*)$/u.exec(text.slice(0, caret));
  return typed === null ? null : { query: typed[1] ?? "", start: typed.index };
}

/** Replaces the typed mention with the path. Returns the text and the new caret. */
export function withMention(
  text: string,
  { mention, path }: { readonly mention: Mention; readonly path: string },
): BoxText {
  const before = text.slice(0, mention.start);
  const typed = mention.start + 1 + mention.query.length;
  const rest = text.slice(typed).replace(/^[^\s,;:)\]}"'`]*/u, "");
  const named = /\s/u.test(path) ? `@"${path}"` : `@${path}`;
  const gap = rest === "" || /^[^\s,;:.)\]}"'`]/u.test(rest) ? " " : "";
  return {
    text: `${before}${named}${gap}${rest}`,
    caret: before.length + named.length + Math.max(gap.length, rest.startsWith(" ") ? 1 : 0),
  };
}
