/** On a line of its own only where a text was let begin one. */
export const INJECTED = "INJECTED";

const PAYLOADS: readonly string[] = [
  "\u001B[2J\u001B[H\u001B[1A\u001B[2K",
  "\u001B[5;7;44mpainted\u001B[0;38;5;196m",
  "\u001B]0;title\u0007",
  "\u001B]8;;https://evil.example\u001B\\link\u001B]8;;\u001B\\",
  "\u001B]52;c;cm0gLXJmIC8K\u0007",
  "\u001BPq#0;2;0;0;0\u001B\\",
  "\u001B[6n\u001B[c\u001BZ\u001Bc",
  "\u009B31m\u009D0;c1\u009C\u0090x\u009C\u0085",
  "\u0007\b\b\b\0\u007F\f\v\u000E\u000F",
  "rm -rf /\rls",
  "\u202Etxt.exe\u202C\u2066x\u2069\u200E\u200F\u061C",
  "in\u200Bvi\u00ADsi\u2060ble\uFEFF\u180E\u{E0041}",
  "\u2028two\u2029lines",
  `'; touch /tmp/owned; $(id) \`id\` #`,
  `\n${INJECTED}\r\n${INJECTED}\n\n\t${INJECTED}`,
  "w".repeat(300),
];

/** All of them in one, so that one request carries every one into every field. */
export const HOSTILE = `begin ${PAYLOADS.join(" ")} end`;

/** For fields that take less: a title, a name. */
export const HOSTILE_TITLE = `begin ${PAYLOADS.slice(0, -1).join(" ")} end`;
export const HOSTILE_NAME =
  "begin \u001B[2J\u001B]52;c;eA\u0007\u009B31m\u202E\b\r\u200B\nINJECTED\n\tINJECTED '$(id)";

/** Of our own styles, and of the line that is written anew; nothing of HOSTILE is among them. */
// oxlint-disable-next-line eslint/no-control-regex -- they are what is looked for
const OURS = /\u001B\[(?:[01234679]|2[1-79]|3[1-6]|39)m|\r?\u001B\[K|\r(?=\n)/gu;
/** How a bar of progress is drawn: the cursor moved along, lines written anew. */
// oxlint-disable-next-line eslint/no-control-regex -- they are what is looked for
const PROGRESS = /\u001B\[(?:90m|\?25[hl]|999D|\d*[ABCDG]|[012]?[JK])/gu;
const OBEYED =
  /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u00AD\u180E\u200B\u2028\u2029\u2060\uFEFF\u{E0000}-\u{E007F}]/u;

export interface Shown {
  /** Texts of several lines are shown as such. */
  readonly hasLines: boolean;
  /** Draws a bar of progress before. */
  readonly hasProgress: boolean;
  /** Of the terminal; null where it is none. */
  readonly columns: number | null;
}

/** What a terminal would obey, or a reader be misled by. */
export function complaintsAbout(
  output: string,
  { hasLines, hasProgress, columns }: Shown,
): readonly string[] {
  const own = withoutStyles(output);
  const lines = (hasProgress ? own.replaceAll(PROGRESS, "").replaceAll("\r", "") : own).split("\n");
  return lines.flatMap((line) => {
    const said: string[] = [];
    const found = OBEYED.exec(line);
    if (found !== null) {
      const code = found[0].codePointAt(0)?.toString(16) ?? "";
      said.push(
        `U+${code} in ${JSON.stringify(line.slice(Math.max(0, found.index - 60), found.index + 60))}`,
      );
    }
    if (!hasLines && line.trimStart().startsWith(INJECTED))
      said.push(`a line of its own: ${line.slice(0, 80)}`);
    if (columns !== null && line.length > columns * WIDEST)
      said.push(`${line.length} wide: ${line.slice(0, 80)}`);
    return said;
  });
}

/** A line may be wrapped by the terminal; one text must not fill the screen. */
const WIDEST = 24;

export function withoutStyles(output: string): string {
  return output.replaceAll(OURS, "");
}
