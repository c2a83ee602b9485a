/**
 * Whether a pattern covers the whole of a text. In `text`, `*` stands for any characters. In `path` it stays
 * inside a folder, `**` does not, and `**` with a slash also stands for no folder at all. `?` is one character.
 * Takes time in proportion to both lengths, whatever the pattern: all ways to read it are followed at once.
 */
export function matchesGlob(pattern: string, text: string, kind: "text" | "path"): boolean {
  const tokens = kind === "path" ? pathTokens(pattern) : textTokens(pattern);
  let active = enter(new Set(), 0, tokens);
  for (const char of text) {
    if (active.size === 0) return false;
    const next = new Set<number>();
    for (const index of active) step(next, { index, char, tokens });
    active = next;
  }
  return active.has(tokens.length);
}

type Token =
  | { readonly is: "char"; readonly char: string }
  | { readonly is: "one"; readonly but: string }
  | { readonly is: "many"; readonly but: string }
  /** Before a folder's name, followed by its `folder-name`: any number of whole folders. */
  | { readonly is: "folders" }
  | { readonly is: "folder-name" };

const ANY_CHARACTER = "";

function textTokens(pattern: string): readonly Token[] {
  return Array.from(pattern, (char): Token => {
    if (char === "*") return { is: "many", but: ANY_CHARACTER };
    return char === "?" ? { is: "one", but: ANY_CHARACTER } : { is: "char", char };
  });
}

function pathTokens(pattern: string): readonly Token[] {
  const chars = Array.from(pattern);
  const tokens: Token[] = [];
  for (let index = 0; index < chars.length; index += 1) {
    const char = chars[index] ?? "";
    const isAtStart = index === 0 || chars[index - 1] === "/";
    if (char === "*" && chars[index + 1] === "*") {
      while (chars[index + 1] === "*") index += 1;
      if (isAtStart && chars[index + 1] === "/") {
        tokens.push({ is: "folders" }, { is: "folder-name" });
        index += 1;
      } else tokens.push({ is: "many", but: ANY_CHARACTER });
    } else if (char === "*") tokens.push({ is: "many", but: "/" });
    else tokens.push(char === "?" ? { is: "one", but: "/" } : { is: "char", char });
  }
  return tokens;
}

/** Adds a place in the pattern, and those that can be reached from it without a character. */
function enter(into: Set<number>, index: number, tokens: readonly Token[]): Set<number> {
  for (let at = index; !into.has(at);) {
    into.add(at);
    const token = tokens[at];
    if (token?.is === "many") at += 1;
    else if (token?.is === "folders") at += 2;
  }
  return into;
}

function step(
  next: Set<number>,
  {
    index,
    char,
    tokens,
  }: { readonly index: number; readonly char: string; readonly tokens: readonly Token[] },
): void {
  const token = tokens[index];
  switch (token?.is) {
    case undefined:
      return;
    case "char":
      if (char === token.char) enter(next, index + 1, tokens);
      return;
    case "one":
      if (char !== token.but) enter(next, index + 1, tokens);
      return;
    case "many":
      if (char !== token.but) enter(next, index, tokens);
      return;
    case "folders":
      enter(next, char === "/" ? index : index + 1, tokens);
      return;
    case "folder-name":
      enter(next, char === "/" ? index - 1 : index, tokens);
      return;
    default:
      return token satisfies never;
  }
}
