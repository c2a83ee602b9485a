import path from "node:path";
import { isInside } from "../../providers/sandbox/path-inside.ts";
import { commandLine } from "../terminal/invocation.ts";

/** The nearest folder that contains both; null if only the whole file system does. */
export function commonFolder(one: string, other: string): string | null {
  for (let here = path.resolve(one); here !== path.dirname(here); here = path.dirname(here)) {
    if (isInside(path.resolve(other), here)) return here;
  }
  return null;
}

/** A folder as one word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The sentence after a refused path: how to start the server with a root that contains it. */
export function howToWidenRoot(root: string, requested: string | null): string {
  const wanted = requested === null ? null : (commonFolder(root, requested) ?? requested);
  const folder = wanted === null ? "FOLDER" : shellWord(wanted);
  return `To change it: ${commandLine("down")} && ${commandLine(`up --workspace-root ${folder}`)}`;
}
