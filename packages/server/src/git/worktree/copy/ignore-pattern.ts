/**
 * Patterns of files as in a `.gitignore`, without `[[:alpha:]]` and slashes in brackets. Paths have one character for each
 * byte.
 */
export interface Patterns {
  /** Whether a file, or a folder around it, is chosen. A folder has a slash at its end. */
  matches(path: string): boolean;
  /**
   * Whether a file in this folder may be chosen by a pattern that names the folder. A pattern such as `*.log`, which names no
   * folder, does not count.
   */
  mayMatchIn(folder: string): boolean;
}

interface Pattern {
  readonly isExcluded: boolean;
  readonly onlyFolders: boolean;
  /** Whether it is compared with the whole path, and not only with the last name. */
  readonly isPath: boolean;
  readonly names: readonly Name[];
}

/** `**`, or what one name must look like. Null: nothing matches. */
type Name = "any_folders" | readonly Part[] | null;

type Part =
  | { readonly part: "character"; readonly character: string }
  | { readonly part: "any" }
  | { readonly part: "many" }
  | {
      readonly part: "set";
      readonly isInverted: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    };

export function parsePatterns(lines: readonly string[]): Patterns {
  const patterns = lines.flatMap(parsePattern);
  const isChosen = (names: readonly string[], isFolder: boolean): boolean => {
    const last = patterns.findLast(
      (pattern) => (isFolder || !pattern.onlyFolders) && matchesPattern(pattern, names),
    );
    return last !== undefined && !last.isExcluded;
  };
  return {
    matches: (path) => {
      const isFolder = path.endsWith("/");
      const names = (isFolder ? path.slice(0, -1) : path).split("/");
      return names.some((_, at) =>
        isChosen(names.slice(0, at + 1), isFolder || at + 1 < names.length),
      );
    },
    mayMatchIn: (folder) => {
      const names = folder.replace(/\/$/u, "").split("/");
      return patterns.some((pattern) => !pattern.isExcluded && leadsInto(pattern, names));
    },
  };
}

function parsePattern(line: string): readonly Pattern[] {
  const bytes = Buffer.from(line, "utf8").toString("latin1");
  let text = bytes.replace(/(?<!\\)[ ]+$/u, "");
  if (text === "" || text.startsWith("#")) return [];
  const isExcluded = text.startsWith("!");
  if (isExcluded) text = text.slice(1);
  const onlyFolders = text.endsWith("/");
  if (onlyFolders) text = text.slice(0, -1);
  const isPath = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return [];
  const names = text
    .split("/")
    .map((name) => (name === "**" && isPath ? "any_folders" : parseName(name)));
  return [{ isExcluded, onlyFolders, isPath, names }];
}

function parseName(text: string): Name {
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "\\") {
      if (at + 1 === text.length) return null;
      parts.push({ part: "character", character: text.charAt(at + 1) });
      at += 2;
    } else if (character === "[") {
      const set = parseSet(text, at);
      if (set === null) return null;
      parts.push(set.part);
      at = set.end;
    } else {
      if (character === "*") {
        if (parts.at(-1)?.part !== "many") parts.push({ part: "many" });
      } else if (character === "?") parts.push({ part: "any" });
      else parts.push({ part: "character", character });
      at += 1;
    }
  }
  return parts;
}

/** Parses `[a-z]`. Null if it has no end. */
function parseSet(
  text: string,
  start: number,
): { readonly part: Part; readonly end: number } | null {
  let at = start + 1;
  const isInverted = text[at] === "!" || text[at] === "^";
  if (isInverted) at += 1;
  const ranges: (readonly [number, number])[] = [];
  const next = (): number | null => {
    if (text[at] === "\\") at += 1;
    if (at >= text.length) return null;
    at += 1;
    return text.charCodeAt(at - 1);
  };
  // A bracket in the first place is a member.
  for (let isFirst = true; isFirst || text[at] !== "]"; isFirst = false) {
    const from = next();
    if (from === null) return null;
    const isRange = text[at] === "-" && at + 1 < text.length && text[at + 1] !== "]";
    if (isRange) at += 1;
    const to = isRange ? next() : from;
    if (to === null) return null;
    ranges.push([from, to]);
  }
  return { part: { part: "set", isInverted, ranges }, end: at + 1 };
}

function matchesPattern({ isPath, names }: Pattern, path: readonly string[]): boolean {
  if (isPath) return matchesNames(names, path);
  const [name = null] = names;
  return matchesName(name, path.at(-1) ?? "");
}

function matchesNames(names: readonly Name[], path: readonly string[]): boolean {
  // `reached` has the numbers of names of the path that the pattern can have taken so far.
  let reached = new Set([0]);
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const after = new Set<number>();
    if (name === "any_folders") {
      // `a/**` is everything in `a`, but not `a`.
      const first = Math.min(...reached) + (isLast ? 1 : 0);
      for (let end = first; end <= path.length; end += 1) after.add(end);
    } else {
      for (const at of reached)
        if (at < path.length && matchesName(name, path[at] ?? "")) after.add(at + 1);
    }
    reached = after;
  }
  return reached.has(path.length);
}

function leadsInto({ isPath, names }: Pattern, folder: readonly string[]): boolean {
  if (!isPath || names[0] === "any_folders") return false;
  for (const [index, name] of folder.entries()) {
    const wanted = names[index];
    if (wanted === "any_folders") return true;
    if (wanted === undefined || !matchesName(wanted, name)) return false;
  }
  return names.length > folder.length;
}

/** Takes at most the product of both lengths, whatever the pattern is. */
function matchesName(parts: Name, name: string): boolean {
  if (parts === null) return false;
  if (parts === "any_folders") return true;
  let [at, index] = [0, 0];
  let retry: { readonly index: number; at: number } | null = null;
  while (at < name.length) {
    const part = parts[index];
    if (part?.part === "many") {
      index += 1;
      retry = { index, at };
    } else if (part !== undefined && matchesPart(part, name, at)) {
      index += 1;
      at += 1;
    } else if (retry === null) return false;
    else {
      retry.at += 1;
      [at, index] = [retry.at, retry.index];
    }
  }
  return parts.slice(index).every((part) => part.part === "many");
}

function matchesPart(part: Exclude<Part, { part: "many" }>, name: string, at: number): boolean {
  switch (part.part) {
    case "any":
      return true;
    case "character":
      return part.character === name[at];
    case "set": {
      const code = name.charCodeAt(at);
      return part.ranges.some(([from, to]) => from <= code && code <= to) !== part.isInverted;
    }
    default:
      return part satisfies never;
  }
}
