import type { ToolCall } from "./tool-call.ts";

/** Of kinds that work on files, what was done to how many of them; of the others, how often. */
const PHRASES: ReadonlyMap<string, (count: number) => string> = new Map(
  Object.entries({
    read: (count: number) => `read ${files(count)}`,
    edit: (count: number) => `edited ${files(count)}`,
    delete: (count: number) => `deleted ${files(count)}`,
    move: (count: number) => `moved ${files(count)}`,
    search: (count: number) => (count === 1 ? "searched once" : `searched ${count} times`),
    execute: (count: number) => (count === 1 ? "ran 1 command" : `ran ${count} commands`),
    fetch: (count: number) => (count === 1 ? "fetched 1 page" : `fetched ${count} pages`),
  }),
);

const FILE_KINDS: ReadonlySet<string> = new Set(["read", "edit", "delete", "move"]);

/** What tools have done, in one line: "Edited 3 files, ran 2 commands, 1 failed". */
export function summarise(calls: readonly ToolCall[]): string {
  const others = (["failed", "unfinished", "cancelled"] as const).flatMap((ending) => {
    const count = calls.filter(({ status }) => status === ending).length;
    return count === 0 ? [] : [`${count} ${ending}`];
  });
  const phrases = [...phrasesOf(calls.filter(({ status }) => status === "completed")), ...others];
  const text = phrases.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** In the order in which each kind was used first. */
function phrasesOf(calls: readonly ToolCall[]): readonly string[] {
  const byKind = new Map<string, ToolCall[]>();
  for (const call of calls) {
    const kind = PHRASES.has(call.kind) ? call.kind : "other";
    byKind.set(kind, [...(byKind.get(kind) ?? []), call]);
  }
  return [...byKind].map(([kind, ofKind]) => {
    const count = FILE_KINDS.has(kind) ? countFiles(ofKind) : ofKind.length;
    return PHRASES.get(kind)?.(count) ?? (count === 1 ? "used 1 tool" : `used ${count} tools`);
  });
}

/** A call that does not say where it worked counts as a file of its own. */
function countFiles(calls: readonly ToolCall[]): number {
  const paths = calls.flatMap(({ locations }) => locations.map(({ path }) => path));
  const nowhere = calls.filter(({ locations }) => locations.length === 0).length;
  return new Set(paths).size + nowhere;
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
