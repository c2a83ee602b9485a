/** At the start of a line only if a text could break lines. */
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

/** All payloads in one text, so that one request puts all of them into every field. */
export const HOSTILE = `begin ${PAYLOADS.join(" ")} end`;

/** For shorter fields: a title, a name. */
export const HOSTILE_TITLE = `begin ${PAYLOADS.slice(0, -1).join(" ")} end`;
export const HOSTILE_NAME =
  "begin \u001B[2J\u001B]52;c;eA\u0007\u009B31m\u202E\b\r\u200B\nINJECTED\n\tINJECTED '$(id)";

/** Our own styles and the sequences that rewrite a line. HOSTILE contains none of them. */
// oxlint-disable-next-line eslint/no-control-regex -- matches control characters on purpose
const OWN_SEQUENCES = /\u001B\[(?:[01234679]|2[1-79]|3[1-6]|39)m|\r?\u001B\[K|\r(?=\n)/gu;
/** Sequences of a progress bar: cursor movements and rewritten lines. */
// oxlint-disable-next-line eslint/no-control-regex -- matches control characters on purpose
const PROGRESS = /\u001B\[(?:90m|\?25[hl]|999D|\d*[ABCDG]|[012]?[JK])/gu;
const UNSAFE =
  /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u00AD\u180E\u200B\u2028\u2029\u2060\uFEFF\u{E0000}-\u{E007F}]/u;

export interface OutputOptions {
  /** Texts with several lines are printed as such. */
  readonly hasLines: boolean;
  /** A progress bar precedes the output. */
  readonly hasProgress: boolean;
  /** Width of the terminal; null without a terminal. */
  readonly columns: number | null;
}

/** Control characters, misleading characters, injected lines and overlong lines in the output. */
export function unsafeOutput(
  output: string,
  { hasLines, hasProgress, columns }: OutputOptions,
): readonly string[] {
  const own = withoutStyles(output);
  const lines = (hasProgress ? own.replaceAll(PROGRESS, "").replaceAll("\r", "") : own).split("\n");
  return lines.flatMap((line) => {
    const errors: string[] = [];
    const match = UNSAFE.exec(line);
    if (match !== null) {
      const code = match[0].codePointAt(0)?.toString(16) ?? "";
      errors.push(
        `U+${code} in ${JSON.stringify(line.slice(Math.max(0, match.index - 60), match.index + 60))}`,
      );
    }
    if (!hasLines && line.trimStart().startsWith(INJECTED))
      errors.push(`an injected line: ${line.slice(0, 80)}`);
    if (columns !== null && line.length > columns * MAX_WRAPPED_LINES)
      errors.push(`${line.length} characters wide: ${line.slice(0, 80)}`);
    return errors;
  });
}

/** The terminal may wrap a line, but one text must not fill the screen. */
const MAX_WRAPPED_LINES = 24;

export function withoutStyles(output: string): string {
  return output.replaceAll(OWN_SEQUENCES, "");
}
