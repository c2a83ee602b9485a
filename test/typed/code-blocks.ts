import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../architecture/read-sources.ts";

/** A block of code in a page, as a reader would type it. */
export interface CodeBlock {
  readonly language: string;
  /** Commands, each with all of its lines. */
  readonly commands: readonly string[];
  /** The line of the page at which it begins. */
  readonly line: number;
}

export function codeBlocksIn(page: string): readonly CodeBlock[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```/gmsu)].map((match) => ({
    language: match[1] ?? "",
    commands: commandsIn(match[2] ?? ""),
    line: text.slice(0, match.index).split("\n").length + 1,
  }));
}

export function textOf(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}

/** The history of changes names commands that are gone. */
export function pagesOfUsers(): readonly string[] {
  return globSync(["*.md", "docs/*.md", "packages/*/README.md"], { cwd: root })
    .filter((page) => page !== "CHANGELOG.md")
    .toSorted();
}

/** The pages with commands that a user can type. */
export function pagesWithCommands(): readonly string[] {
  return pagesOfUsers().filter((page) =>
    codeBlocksIn(page).some(({ language }) => SHELLS.has(language)),
  );
}

export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash"]);

/** A line that ends with `\`, `|`, `do` or `&&` continues in the next one; a loop ends with `done`. */
function commandsIn(block: string): readonly string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of block.split("\n")) {
    if (open === "" && line.trim() === "") continue;
    open = open === "" ? line : `${open}\n${line}`;
    const isLoop = open.startsWith("for ") && !/^done\b/mu.test(open);
    if (isLoop || /(?:\\|\||&&)$/u.test(line)) continue;
    commands.push(open);
    open = "";
  }
  return commands;
}
