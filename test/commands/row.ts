import type { World } from "./world.ts";

/** One command line of the table, and what scripts can rely on. */
export interface Row {
  /**
   * The words after `holdfast`, separated by spaces. `''` is an empty word, `{session}` a value of the world, and `~`
   * stands for a space.
   */
  readonly line: string;
  readonly exit: 0 | 1 | 2 | 3 | 64;
  /** Each line of stdout is a JSON value that has exactly these fields. */
  readonly json?: Shape;
  /** A part of stdout, for output that is not JSON. */
  readonly prints?: RegExp;
  /** The one line on stderr, after `holdfast: `. */
  readonly error?: string | RegExp;
  /** Runs only with, or only without, a server. */
  readonly only?: "server" | "database";
  readonly stdin?: string;
}

/** The fields of an object; those that hold an object or a list of objects name their own fields. */
export interface Shape {
  readonly [field: string]: true | readonly string[] | { readonly each: readonly string[] };
}

export const NO_SESSION = "There is no such session. Run `holdfast list` to see all sessions.";

export function missing(argument: string, command: string): string {
  return `The argument ${argument} is missing. See: holdfast ${command} --help`;
}

/** An object of Holdfast: these fields and the version. */
export function fields(...names: readonly string[]): Shape {
  return Object.fromEntries(["jsonVersion", ...names].map((name) => [name, true]));
}

/** An object in GAIA's shape, which has no version. */
export function gaiaFields(...names: readonly string[]): Shape {
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** The words of a line, with the values of the world. */
export async function wordsOf(line: string, world: World): Promise<readonly string[]> {
  const words: string[] = [];
  for (const word of line.split(" ").filter((each) => each !== "")) {
    let text = word === "''" ? "" : word.replaceAll("~", " ");
    for (const [placeholder = "", name = ""] of word.matchAll(/\{(\w+)\}/gu))
      text = text.replace(placeholder, await world.value(name));
    words.push(text);
  }
  return words;
}
