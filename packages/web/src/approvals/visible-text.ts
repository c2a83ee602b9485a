/** Invisible and reordering characters, which can disguise a text. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes invisible characters, so that the user sees what they approve. Tabs and newlines stay. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(UNSEEN, writtenOut);
}

function writtenOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).toUpperCase()}}`;
}
