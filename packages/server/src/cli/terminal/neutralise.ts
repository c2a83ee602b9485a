/**
 * Text of others as a terminal may be given it. Whatever a terminal would obey, or a reader would not see, is
 * shown by a sign for it. Each character by itself, so that a sequence sent in pieces is as harmless as a whole
 * one. What comes out holds no control character but newlines and tabs.
 */
export function neutralise(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(DANGEROUS, signOf);
}

/** The same on one line. */
export function neutraliseLine(text: string): string {
  return onOneLine(text).trim();
}

/** The same with the spaces around it, where they mean something. */
export function onOneLine(text: string): string {
  return neutralise(text).replaceAll(/\s*[\n\t]\s*/gu, " ");
}

/** One JSON value on one line. What is dangerous is escaped, which to a reader of JSON is the same. */
export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** What is dangerous stands inside of strings only, if it is JSON. */
export function escapeJson(json: string): string {
  return json.replaceAll(DANGEROUS, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${hex(unit)}`)
      .join(""),
  );
}

/**
 * Control characters of both sets; marks and overrides of direction; other line ends; what is not seen at all.
 * Joiners stay: languages and emoji need them.
 */
const DANGEROUS =
  // oxlint-disable-next-line eslint/no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : `<U+${hex(code).toUpperCase()}>`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}
