/**
 * A JSON text with another value in it, and otherwise left as somebody wrote it: what has not changed keeps its place,
 * its spaces and its way of writing numbers. New parts are written as the text around them is. The text is valid JSON.
 */
export function rewriteJson(text: string, value: unknown): string {
  const node = readNode(text, 0);
  const style = styleOf(text);
  return (
    text.slice(0, node.start) +
    render(node, value, { text, style, depth: 0 }) +
    text.slice(node.end)
  );
}

type Node =
  | { readonly kind: "scalar"; readonly start: number; readonly end: number }
  | {
      readonly kind: "list";
      readonly start: number;
      readonly end: number;
      readonly items: readonly Node[];
    }
  | {
      readonly kind: "object";
      readonly start: number;
      readonly end: number;
      readonly members: readonly Member[];
    };

interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: Node;
}

interface Style {
  readonly indent: string;
  readonly newline: string;
}

interface Around {
  readonly text: string;
  readonly style: Style;
  readonly depth: number;
}

function render(node: Node, value: unknown, around: Around): string {
  const { text } = around;
  const source = text.slice(node.start, node.end);
  if (isSame(JSON.parse(source), value)) return source;
  if (node.kind === "list" && Array.isArray(value)) {
    const kept = matched(node.items, value, text);
    const parts = kept.map(({ item, next }) => ({
      start: item.start,
      end: item.end,
      text: render(item, next, { ...around, depth: around.depth + 1 }),
    }));
    const added = value.slice(kept.length);
    return fill(node, { parts, added: added.map((item) => ({ key: null, item })), around });
  }
  if (node.kind === "object" && isObject(value)) {
    const parts = node.members.flatMap(({ key, start, value: old }) => {
      if (!Object.hasOwn(value, key)) return [];
      const inner = render(old, value[key], { ...around, depth: around.depth + 1 });
      return [{ start, end: old.end, text: text.slice(start, old.start) + inner }];
    });
    const known = new Set(node.members.map(({ key }) => key));
    const added = Object.entries(value)
      .filter(([key]) => !known.has(key))
      .map(([key, item]) => ({ key, item }));
    return fill(node, { parts, added, around });
  }
  return written(value, around, around.depth);
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A list or an object with these of its old parts, and new ones after them. */
function fill(
  node: Exclude<Node, { kind: "scalar" }>,
  {
    parts,
    added,
    around,
  }: {
    readonly parts: readonly Part[];
    readonly added: readonly { readonly key: string | null; readonly item: unknown }[];
    readonly around: Around;
  },
): string {
  const { text, style, depth } = around;
  const [open, close] = node.kind === "list" ? ["[", "]"] : ["{", "}"];
  if (parts.length + added.length === 0) return open + close;
  const ends = boundsOf(node);
  const isInline = ends !== null && !text.slice(node.start, node.end).includes("\n");
  const inner = style.newline + style.indent.repeat(depth + 1);
  const before = ends === null ? inner : text.slice(node.start + 1, ends.start);
  const after =
    ends === null ? style.newline + style.indent.repeat(depth) : text.slice(ends.end, node.end - 1);
  const between = isInline ? ", " : inner;
  const fresh = added.map(({ key, item }) => {
    const shown = isInline ? JSON.stringify(item) : written(item, around, depth + 1);
    return key === null ? shown : `${JSON.stringify(key)}: ${shown}`;
  });
  const pieces = parts.map((part, at) => {
    const next = parts[at + 1];
    // What stood between two neighbours stays, with its comma.
    const gap = next === undefined ? "" : gapBefore(node, next, text);
    return part.text + gap;
  });
  const rest = fresh.map((one, at) =>
    parts.length === 0 && at === 0 ? one : comma(between) + one,
  );
  return open + before + pieces.join("") + rest.join("") + after + close;
}

function comma(between: string): string {
  return between.startsWith(",") ? between : `,${between}`;
}

/** From the end of whatever stands before it in the text, comma and spaces included. */
function gapBefore(node: Exclude<Node, { kind: "scalar" }>, part: Part, text: string): string {
  const spans = spansOf(node);
  const at = spans.findIndex(({ start }) => start === part.start);
  const previous = spans[at - 1];
  return previous === undefined ? "," : text.slice(previous.end, part.start);
}

function boundsOf(
  node: Exclude<Node, { kind: "scalar" }>,
): { readonly start: number; readonly end: number } | null {
  const spans = spansOf(node);
  const [first] = spans;
  const last = spans.at(-1);
  return first === undefined || last === undefined ? null : { start: first.start, end: last.end };
}

function spansOf(
  node: Exclude<Node, { kind: "scalar" }>,
): readonly { readonly start: number; readonly end: number }[] {
  if (node.kind === "list") return node.items;
  return node.members.map(({ start, value }) => ({ start, end: value.end }));
}

/** Which old item each of the first new ones comes from; the others are new. */
function matched(
  items: readonly Node[],
  value: readonly unknown[],
  text: string,
): readonly { readonly item: Node; readonly next: unknown }[] {
  const kept: { readonly item: Node; readonly next: unknown }[] = [];
  items.forEach((item, at) => {
    const next = value[kept.length];
    if (kept.length >= value.length) return;
    const isKept = isSame(JSON.parse(text.slice(item.start, item.end)), next);
    const tooMany = items.length - at > value.length - kept.length;
    if (isKept || !tooMany) kept.push({ item, next });
  });
  return kept;
}

function written(value: unknown, { style }: Around, depth: number): string {
  const lines = JSON.stringify(value, null, style.indent).split("\n");
  return lines.join(style.newline + style.indent.repeat(depth));
}

function styleOf(text: string): Style {
  return {
    indent: /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ",
    newline: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function readNode(text: string, from: number): Node {
  const start = skipSpace(text, from);
  switch (text[start]) {
    case "[": {
      const items: Node[] = [];
      let at = skipSpace(text, start + 1);
      while (text[at] !== "]") {
        const item = readNode(text, at);
        items.push(item);
        at = skipComma(text, item.end);
      }
      return { kind: "list", start, end: at + 1, items };
    }
    case "{": {
      const members: Member[] = [];
      let at = skipSpace(text, start + 1);
      while (text[at] !== "}") {
        const keyEnd = endOfText(text, at);
        const value = readNode(text, skipSpace(text, keyEnd) + 1);
        members.push({ key: String(JSON.parse(text.slice(at, keyEnd))), start: at, value });
        at = skipComma(text, value.end);
      }
      return { kind: "object", start, end: at + 1, members };
    }
    case '"':
      return { kind: "scalar", start, end: endOfText(text, start) };
    default: {
      const length = /^[^\s,\]}]+/u.exec(text.slice(start, start + 400))?.[0].length;
      if (length === undefined) throw new Error("unreachable: the text is not JSON");
      return { kind: "scalar", start, end: start + length };
    }
  }
}

function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') {
    if (at >= text.length) throw new Error("unreachable: the text is not JSON");
    at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/[ \t\r\n]/u.test(text[at] ?? "")) at += 1;
  return at;
}

function skipComma(text: string, from: number): number {
  const at = skipSpace(text, from);
  if (at >= text.length) throw new Error("unreachable: the text is not JSON");
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}

function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isSame(item, right[index]))
    );
  }
  if (!isObject(left) || !isObject(right)) return Object.is(left, right);
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
