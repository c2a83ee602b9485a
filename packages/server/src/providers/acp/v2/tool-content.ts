import { looseList, looseObject, type Loose } from "../wire/loose.ts";
import { parsePatch, type PatchedFile } from "./git-patch.ts";

const MAX_CHANGES = 200;

/** One item of a tool call's content in the form of version 1, which has one diff for each hunk. */
export function toolContentOf(value: unknown): readonly unknown[] {
  const item = looseObject(value);
  if (item?.["type"] !== "diff" || !Array.isArray(item["changes"])) return [value];
  const patch = looseObject(item["patch"]);
  const text = patch?.["format"] === "git_patch" ? patch["text"] : null;
  const files = typeof text === "string" ? parsePatch(text) : [];
  const changes = looseList(item["changes"]).slice(0, MAX_CHANGES);
  return changes.flatMap((change) => diffsOf(looseObject(change) ?? {}, files));
}

function diffsOf(change: Loose, files: readonly PatchedFile[]): readonly unknown[] {
  const { operation, path, oldPath } = change;
  if (typeof path !== "string") return [];
  const source = typeof oldPath === "string" ? oldPath : path;
  const file =
    files.find(({ oldPath: from, newPath: to }) =>
      isSame(to ?? from, to === null ? source : path),
    ) ?? (files.length === 1 ? files[0] : undefined);
  const diffs = (file?.hunks ?? []).map(({ oldText, newText }) => ({
    type: "diff",
    path,
    oldText: operation === "add" ? null : oldText,
    newText,
  }));
  const moved = operation === "move" || operation === "copy";
  if (diffs.length > 0 && !moved) return diffs;
  const what = typeof operation === "string" ? operation : "change";
  const line = moved ? `${what} ${source} to ${path}` : `${what} ${path}`;
  return [{ type: "content", content: { type: "text", text: line } }, ...diffs];
}

/** Patches have paths without the leading slash. */
function isSame(path: string | null, other: string): boolean {
  return path !== null && withoutSlash(path) === withoutSlash(other);
}

function withoutSlash(path: string): string {
  return path.replace(/^\/+/u, "");
}

/** The terminals that a tool call's content mentions. */
export function terminalsIn(content: readonly unknown[]): readonly string[] {
  return content.flatMap((value) => {
    const { type, terminalId } = looseObject(value) ?? {};
    return type === "terminal" && typeof terminalId === "string" ? [terminalId] : [];
  });
}
