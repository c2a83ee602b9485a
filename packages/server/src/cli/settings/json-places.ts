/** A value of a JSON text, and the line each part of it begins on. */
export interface PlacedJson {
  readonly value: unknown;
  /** Of what stands at a path of keys and indexes, or of the nearest around it. */
  lineAt(path: readonly PropertyKey[]): number;
}

/** Says where a text stops being JSON, without repeating any of it: it may hold secrets. */
export class JsonFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = "JsonFault";
    this.line = line;
  }
}

const MAX_DEPTH = 32;

/** Strict JSON; a key that is there twice is refused, since only one of them could count. Throws a `JsonFault`. */
export function parsePlacedJson(text: string): PlacedJson {
  const lines = new Map<string, number>();
  let at = 0;

  const lineOf = createLineOf(text);
  const fail = (message: string, offset = at): never => {
    throw new JsonFault(lineOf(Math.min(offset, text.length)), message);
  };
  const skipSpace = (): void => {
    while (/[ \t\r\n]/u.test(text[at] ?? "")) at += 1;
  };
  const expect = (character: string, what: string): void => {
    skipSpace();
    if (text[at] !== character) fail(at >= text.length ? "the file ends too early" : what);
    at += 1;
  };

  const readText = (): string => {
    const start = at;
    expect('"', "a text in double quotes is expected");
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    expect('"', "a text is not closed");
    try {
      return String(JSON.parse(text.slice(start, at)));
    } catch {
      return fail("a text is not closed, or holds a character that must be escaped", start);
    }
  };

  const readObject = (path: string, depth: number): object => {
    const entries = new Map<string, unknown>();
    at += 1;
    skipSpace();
    if (text[at] === "}") {
      at += 1;
      return {};
    }
    for (;;) {
      skipSpace();
      const keyAt = at;
      if (text[at] !== '"') fail("a name in double quotes is expected");
      const key = readText();
      if (entries.has(key)) fail("a name is there twice", keyAt);
      expect(":", "a colon is expected after a name");
      entries.set(key, readValue(pathTo(path, key), { depth: depth + 1, begins: keyAt }));
      skipSpace();
      if (text[at] === "}") break;
      expect(",", "a comma or a closing brace is expected");
    }
    at += 1;
    return Object.fromEntries(entries);
  };

  const readList = (path: string, depth: number): unknown[] => {
    const items: unknown[] = [];
    at += 1;
    skipSpace();
    if (text[at] === "]") {
      at += 1;
      return items;
    }
    for (;;) {
      items.push(readValue(pathTo(path, items.length), { depth: depth + 1 }));
      skipSpace();
      if (text[at] === "]") break;
      expect(",", "a comma or a closing bracket is expected");
    }
    at += 1;
    return items;
  };

  /** What has a name begins where its name does. */
  const readValue = (
    path: string,
    { depth, begins }: { depth: number; begins?: number },
  ): unknown => {
    skipSpace();
    lines.set(path, lineOf(begins ?? at));
    if (depth > MAX_DEPTH) fail("this is nested too deeply");
    if (text[at] === "{") return readObject(path, depth);
    if (text[at] === "[") return readList(path, depth);
    if (text[at] === '"') return readText();
    const word =
      /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/u.exec(
        text.slice(at, at + 400),
      )?.[0];
    if (word === undefined) {
      return fail(at >= text.length ? "the file ends too early" : "this is no JSON");
    }
    at += word.length;
    const value: unknown = JSON.parse(word);
    return value;
  };

  const value = readValue("", { depth: 0 });
  skipSpace();
  if (at < text.length) fail("something follows after the end");
  return {
    value,
    lineAt(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const line = lines.get(path.slice(0, length).reduce<string>(pathTo, ""));
        if (line !== undefined) return line;
      }
      return lines.get("") ?? 1;
    },
  };
}

function createLineOf(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) ends.push(end);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function pathTo(path: string, key: PropertyKey): string {
  return `${path}/${JSON.stringify(String(key))}`;
}
