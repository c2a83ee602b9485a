/**
 * What the lines of a `.gitignore` say of what lies in its folder. Takes time in proportion to the lengths of
 * pattern and path, whatever the pattern: agents write these files.
 */
export interface IgnoreRules {
  /** `way` is the names from the folder of the file on; null when no line speaks of it. */
  decide(way: readonly string[], isFolder: boolean): "ignored" | "kept" | null;
}

interface Rule {
  readonly decision: "ignored" | "kept";
  readonly onlyFolders: boolean;
  /** Of a pattern without a slash the one name, wherever it is; of others the names from the folder on. */
  readonly isAnywhere: boolean;
  readonly names: readonly NamePattern[];
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
    decide: (way, isFolder) =>
      rules.find((rule) => (isFolder || !rule.onlyFolders) && covers(rule, way))?.decision ?? null,
  };
}

function parseLine(line: string): readonly Rule[] {
  const said = line.replace(/\r$/u, "").replace(/(?<!\\) +$/u, "");
  if (said === "" || said.startsWith("#") || said.length > MAX_PATTERN) return [];
  const isNegated = said.startsWith("!");
  const pattern = isNegated ? said.slice(1) : said;
  const onlyFolders = pattern.endsWith("/");
  const body = onlyFolders ? pattern.slice(0, -1) : pattern;
  const names = body.replace(/^\//u, "").split("/");
  if (names.every((name) => name === "")) return [];
  return [
    {
      decision: isNegated ? "kept" : "ignored",
      onlyFolders,
      isAnywhere: !body.includes("/"),
      names: names.map(parseName),
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
      tokens.push({ is: "one", fits: (given) => given === literal });
    }
  }
  return { is: "tokens", tokens };
}

/** `[abc]`, `[a-z]`, `[!a]`; one that is never closed fits nothing, as with Git. */
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
      const fits = (given: string) =>
        ranges.some(([least, most]) => given >= least && given <= most) !== isNegated;
      return { fits, end: at };
    }
    if (characters[at + 1] === "-" && high !== undefined && high !== "]") {
      ranges.push([low, high]);
      at += 2;
    } else ranges.push([low, low]);
  }
  return { fits: () => false, end: characters.length };
}

function covers({ isAnywhere, names }: Rule, way: readonly string[]): boolean {
  return fits(names, isAnywhere ? way.slice(-1) : way, {
    isMany: (pattern) => pattern.is === "any-folders",
    fitsOne: fitsName,
    // `a/**` is what is in the folder, not the folder.
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
 * Whether a pattern covers all items, where one that is many stands for any number of them. When something does
 * not fit, only the last such one can help by taking one more: what those before it took need not change.
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
    const given = items[item] ?? "";
    if (wanted !== undefined && isMany(wanted)) {
      if (pattern === patterns.length - 1) return true;
      many = { pattern, item };
      pattern += 1;
    } else if (wanted !== undefined && fitsOne(wanted, given)) {
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
