/**
 * Makes untrusted text safe for a terminal: control characters and invisible characters are replaced by visible
 * symbols. Each character is replaced separately, so an escape sequence split over several calls is harmless too. The
 * result contains no control characters except newlines and tabs.
 */
export function neutralise(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(DANGEROUS, symbolOf);
}

/** The same, on one line and trimmed. */
export function neutraliseLine(text: string): string {
  return onOneLine(text).trim();
}

/** The same, on one line with its leading and trailing spaces. */
export function onOneLine(text: string): string {
  return neutralise(text).replaceAll(/\s*[\n\t]\s*/gu, " ");
}

/** One JSON value on one line. Dangerous characters are escaped, which does not change the value. */
export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** In valid JSON, dangerous characters occur only inside strings. */
export function escapeJson(json: string): string {
  return json.replaceAll(DANGEROUS, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${hex(unit)}`)
      .join(""),
  );
}

/**
 * C0 and C1 control characters, direction marks and overrides, other line ends, and invisible characters. Joiners are
 * allowed: some languages and emoji need them.
 */
const DANGEROUS =
  // oxlint-disable-next-line eslint/no-control-regex -- the pattern finds control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function symbolOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : `<U+${hex(code).toUpperCase()}>`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}
