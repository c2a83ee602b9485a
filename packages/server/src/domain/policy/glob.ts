/**
 * Whether a pattern matches a whole text. In a `text`, `*` matches any characters. In a `path`, `*` does not match
 * a slash, `**` matches everything, and a folder named `**` matches any number of folders. `?` matches one character.
 * All possible matches are followed at once, so the time is proportional to both lengths for every pattern.
 */
export function matchesGlob(pattern: string, text: string, kind: "text" | "path"): boolean {
  const tokens = kind === "path" ? pathTokens(pattern) : textTokens(pattern);
  let active = enter(new Set(), 0, tokens);
  for (const char of text) {
    if (active.size === 0) return false;
    const next = new Set<number>();
    for (const index of active) step(next, index, char, tokens);
    active = next;
  }
  return active.has(tokens.length);
}

type Token =
  | { readonly is: "char"; readonly char: string }
  | { readonly is: "one"; readonly but: string }
  | { readonly is: "many"; readonly but: string }
  /** Any number of folders. A `folder-name` follows, which matches the name of one of them. */
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

/** Adds a position in the pattern, and those that can be reached from it without a character. */
function enter(into: Set<number>, index: number, tokens: readonly Token[]): Set<number> {
  for (let at = index; !into.has(at);) {
    into.add(at);
    const token = tokens[at];
    if (token?.is === "many") at += 1;
    else if (token?.is === "folders") at += 2;
  }
  return into;
}

function step(next: Set<number>, index: number, char: string, tokens: readonly Token[]): void {
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
