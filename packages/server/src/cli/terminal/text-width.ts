/** The number of terminal columns of a text: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text if it fits, else cut with an ellipsis. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let start = "";
  let width = 1;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    start += character;
  }
  return `${start}…`;
}

/** Breaks the whole text into lines that fit, between words where possible. Nothing is lost. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(8, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  let width = 0;
  const breakLine = (): void => {
    lines.push(current);
    current = "";
    width = 0;
  };
  for (const word of line.match(/\s+|\S+/gu) ?? []) {
    if (width > 0 && width + widthOf(word) > columns && /\S/u.test(word)) breakLine();
    for (const character of word) {
      const more = characterWidth(character);
      if (width + more > columns) breakLine();
      current += character;
      width += more;
    }
  }
  return [...lines, current];
}

const TAB_WIDTH = 8;
const MARK = /^(?:\p{M}|\u200c|\u200d)$/u;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])$/u;

function characterWidth(character: string): number {
  if (character === "\t") return TAB_WIDTH;
  if (character <= "~") return 1;
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
