/** Characters that are not seen, or that reorder others: with them a text reads as something it is not. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** What is agreed to is seen as it is: unseen characters are written out. Tabs and line ends stay. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(UNSEEN, writtenOut);
}

function writtenOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).toUpperCase()}}`;
}
