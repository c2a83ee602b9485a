/** A command in a shell command line. */
export interface ShellPart {
  /** Its words in canonical quoting; null if the shell might interpret them in another way. */
  readonly text: string | null;
  /** The texts that a rule which denies it may match. */
  readonly names: readonly string[];
}

const MAX_LENGTH = 4_000;
const MAX_NESTING = 3;
/** The number of words of a wrapper in which the wrapped command is searched. */
const MAX_WRAPPER_WORDS = 16;

/** Splits a shell command line. A part that is not certainly a plain command has no `text`. The result is never empty. */
export function readShell(line: string): readonly ShellPart[] {
  const parts = line.length > MAX_LENGTH ? null : read(line, MAX_NESTING);
  return parts === null || parts.length === 0 ? [guess(line)] : parts;
}

/** The commands that a line might run which is only a description, or which cannot be parsed. */
export function guessShell(line: string): readonly ShellPart[] {
  return [guess(line)];
}

/** Quotes words so that a shell reads exactly these words. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

function read(line: string, nesting: number): readonly ShellPart[] | null {
  const commands = splitCommands(line);
  if (commands === null) return null;
  const parts: ShellPart[] = [];
  for (const words of commands) parts.push(...partsOf(words, nesting));
  return parts;
}

function partsOf(words: readonly string[], nesting: number): readonly ShellPart[] {
  const script = scriptOf(words);
  const outer = simplePart(words);
  if (script === null) return [outer];
  const inner = nesting === 0 ? null : read(script, nesting - 1);
  if (inner === null || inner.length === 0) return [{ ...outer, text: null }];
  return inner.map(({ text, names }) => ({ text, names: [...names, ...outer.names] }));
}

function simplePart(words: readonly string[]): ShellPart {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word));
  const bare = first < 0 ? [] : words.slice(first);
  const [program = ""] = bare;
  const isPlain = first === 0 && !EXPANDED.test(program) && !RESERVED.has(program);
  const isWrapper = WRAPPERS.has(baseOf(program)) || RESERVED.has(program);
  const isTooLong = isWrapper && bare.length > MAX_WRAPPER_WORDS;
  const names = new Set([quoteWords(words), ...namesOf(bare)]);
  if (isWrapper) for (const name of guess(bare.join(" ")).names) names.add(name);
  return { text: isPlain && !isTooLong ? quoteWords(words) : null, names: [...names] };
}

function namesOf(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  return [quoteWords(words), quoteWords([baseOf(program), ...rest])];
}

/** Splits the line at all special characters of a shell, and ignores quotes. */
function guess(line: string): ShellPart {
  const names = new Set<string>();
  const unquoted = line.slice(0, MAX_LENGTH).replaceAll(/["'\\]/gu, "");
  for (const piece of unquoted.split(SPECIAL)) {
    const words = piece.split(/\s+/u).filter((word) => word !== "");
    const starts = runsAnother(words) ? Math.min(words.length, MAX_WRAPPER_WORDS) : 1;
    for (let start = 0; start < starts; start += 1) {
      const [program = "", ...rest] = words.slice(start);
      names.add([program, ...rest].join(" ")).add([baseOf(program), ...rest].join(" "));
    }
  }
  names.delete("");
  return { text: null, names: [...names] };
}

/** Whether the first word may run the command that follows it. */
function runsAnother([first = ""]: readonly string[]): boolean {
  const base = baseOf(first);
  return WRAPPERS.has(base) || SHELLS.has(base) || RESERVED.has(first) || ASSIGNMENT.test(first);
}

/** The script in the arguments of a shell: `bash -lc '…'`. */
function scriptOf(words: readonly string[]): string | null {
  const [program = "", ...rest] = words;
  const flags = rest.slice(0, -1);
  const isShell = SHELLS.has(baseOf(program)) && SHELL_FOLDERS.has(folderOf(program));
  const isScript =
    flags.length > 0 &&
    flags.every((flag) => /^-[cl]+$/u.test(flag)) &&
    flags.some((flag) => flag.includes("c"));
  return isShell && isScript ? (rest.at(-1) ?? null) : null;
}

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
const SHELL_FOLDERS: ReadonlySet<string> = new Set(["", "/bin/", "/usr/bin/", "/usr/local/bin/"]);
/** Programs that run the command in their arguments. */
const WRAPPERS: ReadonlySet<string> = new Set(
  (
    ". builtin busybox chroot command doas env eval exec find flock ionice nice nohup npx parallel " +
    "script setsid source stdbuf su sudo systemd-run time timeout watch xargs"
  ).split(" "),
);
const RESERVED: ReadonlySet<string> = new Set(
  "[[ case coproc do done elif else esac fi for function if select then until while".split(" "),
);
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/u;
const EXPANDED = /[*?[\]~]/u;
const SPECIAL = /[;&|`$(){}<>!\n\r]/u;
const PLAIN_WORD = /^[\w@%+=:,./~*?[\]^-]+$/u;

function quote(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function baseOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

function folderOf(program: string): string {
  return program.slice(0, program.lastIndexOf("/") + 1);
}

/** The words of each command; null if the line contains more than words, quotes and separators. */
function splitCommands(line: string): readonly (readonly string[])[] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let index = 0; index < line.length; index += 1) {
    const char = line.charAt(index);
    if (char === " " || char === "\t") endWord();
    else if (SEPARATORS.has(char)) endCommand();
    else if (char === "'" || char === '"') {
      const quoted = readQuoted(line, index);
      if (quoted === null) return null;
      word = (word ?? "") + quoted.text;
      index = quoted.end;
    } else if (char === "\\") {
      index += 1;
      const escaped = line.charAt(index);
      if (escaped === "" || isControl(escaped)) return null;
      word = (word ?? "") + escaped;
    } else if (FORBIDDEN.has(char) || isControl(char) || (char === "#" && word === null)) {
      return null;
    } else word = (word ?? "") + char;
  }
  endCommand();
  return commands;
}

const SEPARATORS: ReadonlySet<string> = new Set([";", "&", "|", "\n"]);
const FORBIDDEN: ReadonlySet<string> = new Set(["`", "$", "(", ")", "{", "}", "<", ">", "!"]);

/** Reads from the quote at `start` to the closing one. */
function readQuoted(
  line: string,
  start: number,
): { readonly text: string; readonly end: number } | null {
  const mark = line.charAt(start);
  let text = "";
  for (let index = start + 1; index < line.length; index += 1) {
    const char = line.charAt(index);
    if (char === mark) return { text, end: index };
    if (isControl(char) && char !== "\n" && char !== "\t") return null;
    if (mark === '"' && (char === "$" || char === "`")) return null;
    if (mark === '"' && char === "\\" && line.charAt(index + 1) === "\n") return null;
    if (mark === '"' && char === "\\" && '"\\$`'.includes(line.charAt(index + 1) || " ")) {
      index += 1;
      text += line.charAt(index);
    } else text += char;
  }
  return null;
}

/** Includes blank characters other than the space: shells and people read them differently. */
function isControl(char: string): boolean {
  return char < " " || char === "\u007F" || (char !== " " && /\s/u.test(char));
}
