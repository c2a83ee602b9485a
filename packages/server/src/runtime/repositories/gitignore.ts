/**
 * The rules of a `.gitignore` file. Agents write these files, so the time to match is bounded by the lengths of pattern and
 * path for every pattern.
 */
export interface IgnoreRules {
  /** `names` is the path relative to the folder of the file. Null if no line matches. */
  decide(names: readonly string[], isFolder: boolean): "ignored" | "kept" | null;
}

interface Rule {
  readonly decision: "ignored" | "kept";
  readonly onlyFolders: boolean;
  /** A pattern without a slash matches in any folder. */
  readonly isAnywhere: boolean;
  readonly patterns: readonly NamePattern[];
}

type NamePattern =
  | { readonly is: "any-folders" }
  | { readonly is: "literal"; readonly name: string }
  | { readonly is: "tokens"; readonly tokens: readonly Token[] };

type Token =
  | { readonly is: "many" }
  | { readonly is: "one"; readonly fits: (character: string) => boolean };

const MAX_RULES = 1_000;
const MAX_PATTERN = 500;

export function parseGitignore(text: string): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/u, "")
    .split("\n")
    .slice(0, MAX_RULES)
    .flatMap(parseLine)
    .toReversed();
  return {
    decide: (names, isFolder) =>
      rules.find((rule) => (isFolder || !rule.onlyFolders) && covers(rule, names))?.decision ??
      null,
  };
}

function parseLine(line: string): readonly Rule[] {
  const trimmed = line.replace(/\r$/u, "").replace(/(?<!\\) +$/u, "");
  if (trimmed === "" || trimmed.startsWith("#") || trimmed.length > MAX_PATTERN) return [];
  const isNegated = trimmed.startsWith("!");
  const pattern = isNegated ? trimmed.slice(1) : trimmed;
  const onlyFolders = pattern.endsWith("/");
  const body = onlyFolders ? pattern.slice(0, -1) : pattern;
  const names = body.replace(/^\//u, "").split("/");
  if (names.every((name) => name === "")) return [];
  return [
    {
      decision: isNegated ? "kept" : "ignored",
      onlyFolders,
      isAnywhere: !body.includes("/"),
      patterns: names.map(parseName),
    },
  ];
}

function parseName(name: string): NamePattern {
  if (name === "**") return { is: "any-folders" };
  if (!/[*?[\\]/u.test(name)) return { is: "literal", name };
  const tokens: Token[] = [];
  const characters = Array.from(name);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (character === "*") {
      if (tokens.at(-1)?.is !== "many") tokens.push({ is: "many" });
    } else if (character === "?") tokens.push({ is: "one", fits: () => true });
    else if (character === "[") {
      const set = parseSet(characters, at);
      tokens.push({ is: "one", fits: set.fits });
      at = set.end;
    } else {
      if (character === "\\") at += 1;
      const literal = characters[at];
      tokens.push({ is: "one", fits: (other) => other === literal });
    }
  }
  return { is: "tokens", tokens };
}

/** `[abc]`, `[a-z]`, `[!a]`. An unclosed set matches nothing, as in Git. */
function parseSet(
  characters: readonly string[],
  from: number,
): { readonly fits: (character: string) => boolean; readonly end: number } {
  let at = from + 1;
  const isNegated = characters[at] === "!" || characters[at] === "^";
  if (isNegated) at += 1;
  const ranges: (readonly [low: string, high: string])[] = [];
  for (let isFirst = true; at < characters.length; at += 1, isFirst = false) {
    const [low, high] = [characters[at] ?? "", characters[at + 2]];
    if (low === "]" && !isFirst) {
      const fits = (character: string) =>
        ranges.some(([least, most]) => character >= least && character <= most) !== isNegated;
      return { fits, end: at };
    }
    if (characters[at + 1] === "-" && high !== undefined && high !== "]") {
      ranges.push([low, high]);
      at += 2;
    } else ranges.push([low, low]);
  }
  return { fits: () => false, end: characters.length };
}

function covers({ isAnywhere, patterns }: Rule, names: readonly string[]): boolean {
  return fits(patterns, isAnywhere ? names.slice(-1) : names, {
    isMany: (pattern) => pattern.is === "any-folders",
    fitsOne: fitsName,
    // `a/**` matches the content of the folder, not the folder.
    isManyAtEndSome: true,
  });
}

function fitsName(pattern: NamePattern, name: string): boolean {
  switch (pattern.is) {
    case "any-folders":
      return true;
    case "literal":
      return pattern.name === name;
    case "tokens":
      return fits(pattern.tokens, Array.from(name), {
        isMany: (token) => token.is === "many",
        fitsOne: (token, character) => token.is === "many" || token.fits(character),
        isManyAtEndSome: false,
      });
    default:
      return pattern satisfies never;
  }
}

/**
 * Whether the patterns match all items; a "many" pattern matches any number of them. After a mismatch only the last "many"
 * pattern takes one more item, because a change of the earlier ones cannot help.
 */
function fits<Pattern>(
  patterns: readonly Pattern[],
  items: readonly string[],
  {
    isMany,
    fitsOne,
    isManyAtEndSome,
  }: {
    readonly isMany: (pattern: Pattern) => boolean;
    readonly fitsOne: (pattern: Pattern, item: string) => boolean;
    readonly isManyAtEndSome: boolean;
  },
): boolean {
  let [pattern, item] = [0, 0];
  let many: { readonly pattern: number; item: number } | null = null;
  while (item < items.length) {
    const wanted = patterns[pattern];
    const current = items[item] ?? "";
    if (wanted !== undefined && isMany(wanted)) {
      if (pattern === patterns.length - 1) return true;
      many = { pattern, item };
      pattern += 1;
    } else if (wanted !== undefined && fitsOne(wanted, current)) {
      pattern += 1;
      item += 1;
    } else if (many !== null) {
      many.item += 1;
      item = many.item;
      pattern = many.pattern + 1;
    } else return false;
  }
  const rest = patterns.slice(pattern);
  return rest.every(isMany) && (rest.length === 0 || !isManyAtEndSome);
}
