import path from "node:path";
import { homeOf } from "./sandbox/home-mounts.ts";
import type { Redactor } from "./secrets/redactor.ts";

/** The files in which agents of a provider leave output that is too long for their model. */
export interface OutputFiles {
  readonly patterns: readonly FilePattern[];
  /** Removes secrets from the files. */
  readonly redactor: Redactor;
}

export interface FilePattern {
  /** A folder outside the agent's control, so links that lead to it may be followed. */
  readonly base: string;
  /** Names below it; `*` stands for any characters of one name. */
  readonly names: readonly string[];
}

/** Reads the `outputFiles` of a definition, such as `~/.agent/outputs/*` or `$AGENT_HOME/outputs/*`. */
export function filePatterns(
  entries: readonly string[],
  environment: Readonly<Record<string, string>>,
): readonly FilePattern[] {
  return entries.flatMap((entry): readonly FilePattern[] => {
    const [start = "", ...names] = entry.split("/");
    // The agent cannot replace the folder that is mounted into its home.
    const isHome = start === "~";
    const base = isHome ? homeOf(environment) : environment[start.slice(1)];
    if (base == null || !path.isAbsolute(base)) return [];
    return isHome
      ? [{ base: path.join(base, names[0] ?? ""), names: names.slice(1) }]
      : [{ base, names }];
  });
}

/** Whether the pattern, whose base has this real path, describes the file. */
export function matchesPattern(file: string, realBase: string, names: readonly string[]): boolean {
  const relative = path.relative(realBase, file);
  const parts = relative.split(path.sep);
  if (path.isAbsolute(relative) || parts.length !== names.length) return false;
  return names.every((name, index) => matchesName(parts[index] ?? "", name));
}

function matchesName(part: string, name: string): boolean {
  if (part === "" || part === "..") return false;
  const [first = "", last] = name.split("*");
  if (last === undefined) return part === name;
  const isLongEnough = part.length >= first.length + last.length;
  return isLongEnough && part.startsWith(first) && part.endsWith(last);
}
