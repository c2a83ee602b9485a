/** The hunks of one file in a Git patch. */
export interface PatchedFile {
  /** Null for a new file. */
  readonly oldPath: string | null;
  /** Null for a deleted file. */
  readonly newPath: string | null;
  readonly hunks: readonly { readonly oldText: string; readonly newText: string }[];
}

interface OpenHunk {
  readonly old: string[];
  readonly new: string[];
  left: { old: number; new: number };
  last: "old" | "new" | "both";
}

const MAX_FILES = 200;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/u;

/** Reads a patch as `git diff` writes it. Lines that are not understood are ignored. */
export function parsePatch(text: string): readonly PatchedFile[] {
  const files: { oldPath: string | null; newPath: string | null; hunks: OpenHunk[] }[] = [];
  let hunk: OpenHunk | null = null;
  for (const line of text.split("\n")) {
    if (hunk !== null && takeLine(hunk, line)) continue;
    hunk = null;
    if (line.startsWith("--- ")) {
      if (files.length === MAX_FILES) break;
      files.push({ oldPath: pathOf(line, "a/"), newPath: null, hunks: [] });
      continue;
    }
    const file = files.at(-1);
    if (file === undefined) continue;
    if (line.startsWith("+++ ")) file.newPath = pathOf(line, "b/");
    const [header, old, now] = HUNK.exec(line) ?? [];
    if (header === undefined) continue;
    hunk = { old: [], new: [], left: { old: countOf(old), new: countOf(now) }, last: "both" };
    file.hunks.push(hunk);
  }
  return files.map(({ oldPath, newPath, hunks }) => ({
    oldPath,
    newPath,
    hunks: hunks.map((each) => ({ oldText: each.old.join(""), newText: each.new.join("") })),
  }));
}

/** False if the line does not belong to the hunk. */
function takeLine(hunk: OpenHunk, line: string): boolean {
  const { left } = hunk;
  if (line.startsWith("\\")) {
    // "\ No newline at end of file" is about the line before.
    if (hunk.last !== "new") dropNewline(hunk.old);
    if (hunk.last !== "old") dropNewline(hunk.new);
    return true;
  }
  const isOpen = left.old > 0 || left.new > 0;
  const sign = line === "" ? " " : line[0];
  if (!isOpen || (sign !== " " && sign !== "-" && sign !== "+")) return false;
  const content = `${line.slice(1)}\n`;
  if (sign !== "+") {
    hunk.old.push(content);
    left.old -= 1;
  }
  if (sign !== "-") {
    hunk.new.push(content);
    left.new -= 1;
  }
  hunk.last = sign === "-" ? "old" : sign === "+" ? "new" : "both";
  return true;
}

function dropNewline(lines: string[]): void {
  const last = lines.pop();
  if (last !== undefined) lines.push(last.replace(/\n$/u, ""));
}

function pathOf(line: string, prefix: string): string | null {
  const written = line.slice(4).replace(/\t.*$/u, "");
  const path = written.startsWith('"') ? unquoted(written) : written;
  if (path === "/dev/null") return null;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** Git quotes unusual paths like strings in C. */
function unquoted(text: string): string {
  try {
    const path: unknown = JSON.parse(text);
    return typeof path === "string" ? path : text;
  } catch {
    return text;
  }
}

function countOf(digits: string | undefined): number {
  return digits === undefined ? 1 : Number(digits);
}
