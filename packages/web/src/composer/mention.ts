/** A file that is being named: what is typed of its path, and where its sign is. */
export interface Mention {
  readonly query: string;
  readonly start: number;
}

/** After an @ that begins a word, up to the caret; null when no file is being named. */
export function mentionAt(text: string, caret: number): Mention | null {
  const typed = /(?<=^|[\s("'`[{,;:])@([^\s@"]*)$/u.exec(text.slice(0, caret));
  return typed === null ? null : { query: typed[1] ?? "", start: typed.index };
}

/** The text with the path in place of what was typed of it, and where the caret is then. */
export function withMention(
  text: string,
  { mention, path }: { readonly mention: Mention; readonly path: string },
): { readonly text: string; readonly caret: number } {
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
