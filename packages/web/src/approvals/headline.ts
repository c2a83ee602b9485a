import { diffLines } from "../diff/diff-lines.ts";
import { shortPath } from "../tools/short-path.ts";
import type { Approval } from "./approval.ts";
import type { FileChange } from "./change-view.tsx";
import type { Subject } from "./subject.ts";
import { visibleText } from "./visible-text.ts";

/** The first line of a request: "Edit retry.ts +2 −2" or "Run npm test". */
export interface Headline {
  /** May contain code between backticks. */
  readonly title: string;
  /** Continues the title: the whole command, or the name of a file. */
  readonly code: string | null;
  readonly counts: { readonly added: number; readonly removed: number } | null;
  /** The kind of work, where the title does not begin with it. */
  readonly kind: string | null;
  /** The title of the agent, where it says more. */
  readonly more: string | null;
}

/** Longer commands stand below the title. */
const SHORT_COMMAND = 120;

const VERBS: ReadonlyMap<string, string> = new Map([
  ["read", "Read"],
  ["edit", "Edit"],
  ["delete", "Delete"],
  ["move", "Move"],
  ["search", "Search"],
  ["execute", "Run"],
  ["fetch", "Fetch"],
  ["switch_mode", "Change mode"],
]);
/** Kinds that say nothing. */
const VAGUE: ReadonlySet<string> = new Set(["other", "think"]);

export function headlineOf(approval: Approval, changes: readonly FileChange[]): Headline {
  const plain = { title: approval.title, code: null, counts: null, kind: null, more: null };
  if (approval.ask !== "choice") return plain;
  const { subject, title } = approval;
  const kind = VERBS.get(subject.kind ?? "other") ?? subject.kind;
  if (changes.length > 0) return ofChanges(changes, approval.title, subject.kind);
  const { command } = subject;
  if (command !== null && subject.kind === "execute" && isSameText(title, command)) {
    const isShort = command.length <= SHORT_COMMAND && !command.includes("\n");
    return isShort
      ? { ...plain, title: "Run", code: command }
      : { ...plain, title: "Run a command" };
  }
  const saysNothing = kind === null || VAGUE.has(kind);
  const isSaid = saysNothing || title.toLowerCase().startsWith(kind.toLowerCase());
  return { ...plain, kind: isSaid ? null : kind };
}

function ofChanges(changes: readonly FileChange[], title: string, kind: string | null): Headline {
  const diffs = changes.map(({ oldText, newText }) => diffLines(oldText, newText));
  const counts = {
    added: diffs.reduce((sum, { added }) => sum + added, 0),
    removed: diffs.reduce((sum, { removed }) => sum + removed, 0),
  };
  const isNew = changes.every(({ oldText }) => oldText === null);
  const verb = kind === "delete" ? "Delete" : isNew ? "Create" : "Edit";
  const [first] = changes;
  const names = changes.map(({ path }) => nameOf(path));
  const saysMore = title !== "" && !names.some((name) => title.includes(name));
  return {
    title: changes.length === 1 ? verb : `${verb} ${changes.length} files`,
    code: changes.length === 1 && first !== undefined ? nameOf(first.path) : null,
    counts,
    kind: null,
    more: saysMore && !isVerb(title) ? title : null,
  };
}

/** Whether the title shows the whole command, so that it is not repeated. */
export function showsCommand({ code }: Headline, { command }: Subject): boolean {
  return command !== null && code === command;
}

/** The server remembers longer lists of files as this one request. */
const MAX_PATHS = 10;

/** The requests that an answer for always covers, as the server applies it to the session. */
export function scopeOf({ kind, command, paths }: Subject, root: string | null): string {
  const work = OF_FILES.get(kind ?? "");
  const files = [...new Set(paths.map((path) => shortPath(path, root)))];
  if (work !== undefined && files.length > 0 && files.length <= MAX_PATHS)
    return files.length === 1 ? `${work} ${files.join("")}` : `${work} these ${files.length} files`;
  return command !== null && kind === "execute" ? "this command" : "this request";
}

const OF_FILES: ReadonlyMap<string, string> = new Map([
  ["read", "reading"],
  ["edit", "edits of"],
  ["delete", "deletion of"],
  ["move", "moves of"],
]);

function isSameText(title: string, command: string): boolean {
  const bare = title.replaceAll("`", "").trim();
  return bare === command.replaceAll("`", "").trim();
}

function isVerb(title: string): boolean {
  return /^(?:edit|write|create|delete|update|patch|apply patch)\.?$/iu.test(title.trim());
}

function nameOf(path: string): string {
  return visibleText(path.slice(path.lastIndexOf("/") + 1) || path);
}
