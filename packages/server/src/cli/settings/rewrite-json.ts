import { findNodeAtLocation, parseTree, type JSONPath, type Node } from "jsonc-parser";
import { isObject, sameJson, type Json } from "../../domain/json.ts";

const BOM = "\uFEFF";

/**
 * Returns the JSON text with another value in it. Parts that stay the same keep their spaces and their way of writing
 * numbers; new parts are formatted like the text around them. The text must be valid JSON. `modify` of jsonc-parser is
 * not used: it breaks a list without line breaks when it removes the last item.
 */
export function rewriteJson(text: string, value: unknown): string {
  return rewriteAt(text, [], parse(text), parse(JSON.stringify(value)));
}

/** Splits off a byte order mark. */
export function withoutMark(text: string): { readonly mark: string; readonly json: string } {
  return text.startsWith(BOM) ? { mark: BOM, json: text.slice(1) } : { mark: "", json: text };
}

function parse(text: string): Json {
  return JSON.parse(text);
}

function rewriteAt(text: string, path: JSONPath, before: Json, after: Json): string {
  if (sameJson(before, after)) return text;
  let rewritten = text;
  if (Array.isArray(before) && Array.isArray(after)) {
    const kept = keptItems(before, after);
    for (let at = before.length - 1; at >= 0; at -= 1)
      if (!kept.includes(at)) rewritten = remove(rewritten, [...path, at]);
    after.forEach((item: Json, at) => {
      const from = kept[at];
      if (from === undefined) rewritten = append(rewritten, path, item);
      else rewritten = rewriteAt(rewritten, [...path, at], before[from], item);
    });
    return rewritten;
  }
  if (!isObject(before) || !isObject(after)) return replace(text, path, after);
  for (const [key, item] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    rewritten =
      old === undefined
        ? append(rewritten, path, item, key)
        : rewriteAt(rewritten, [...path, key], old, item);
  }
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) rewritten = remove(rewritten, [...path, key]);
  return rewritten;
}

/** Indexes of the old items that the first new ones come from; the other new items are appended. */
function keptItems(before: readonly Json[], after: readonly Json[]): readonly number[] {
  const kept: number[] = [];
  before.forEach((item, at) => {
    const next = after[kept.length];
    if (next === undefined) return;
    const isSurplus = before.length - at > after.length - kept.length;
    if (sameJson(item, next) || !isSurplus) kept.push(at);
  });
  return kept;
}

function replace(text: string, path: JSONPath, value: Json): string {
  const { offset, length } = nodeAt(text, path);
  return splice(text, [offset, offset + length], formatted(text, value, path.length));
}

function remove(text: string, path: JSONPath): string {
  const node = entryOf(nodeAt(text, path));
  const siblings = node.parent?.children ?? [];
  const at = siblings.indexOf(node);
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  if (previous !== undefined) return splice(text, [endOf(previous), endOf(node)], "");
  if (next !== undefined) return splice(text, [node.offset, next.offset], "");
  const { offset, length } = node.parent ?? node;
  return splice(text, [offset + 1, offset + length - 1], "");
}

function append(text: string, path: JSONPath, item: Json, key?: string): string {
  const container = nodeAt(text, path);
  const depth = path.length;
  const last = container.children?.at(-1);
  const isInline =
    last !== undefined && !text.slice(container.offset, endOf(container)).includes("\n");
  const shown = isInline ? JSON.stringify(item) : formatted(text, item, depth + 1);
  const entry = key === undefined ? shown : `${JSON.stringify(key)}: ${shown}`;
  const line = lineBreak(text, depth + 1);
  if (last !== undefined)
    return splice(text, [endOf(last), endOf(last)], `,${isInline ? " " : line}${entry}`);
  const inside = [container.offset + 1, endOf(container) - 1] as const;
  return splice(text, inside, `${line}${entry}${lineBreak(text, depth)}`);
}

function nodeAt(text: string, path: JSONPath): Node {
  const root = parseTree(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, path);
  if (node === undefined) throw new Error("unreachable: the text is not JSON");
  return node;
}

/** A property with its name, or the item of a list. */
function entryOf(node: Node): Node {
  return node.parent?.type === "property" ? node.parent : node;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, [start, end]: readonly [number, number], replacement: string) {
  return text.slice(0, start) + replacement + text.slice(end);
}

function formatted(text: string, value: Json, depth: number): string {
  return JSON.stringify(value, null, indentOf(text)).replaceAll("\n", lineBreak(text, depth));
}

function lineBreak(text: string, depth: number): string {
  return (text.includes("\r\n") ? "\r\n" : "\n") + indentOf(text).repeat(depth);
}

function indentOf(text: string): string {
  return /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ";
}
