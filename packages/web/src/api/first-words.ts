const TITLE_LENGTH = 80;

/** The start of a text, cut at a word, as a title. */
export function firstWords(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.replaceAll(/\s+/gu, " ") ?? "";
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH);
  const space = cut.lastIndexOf(" ");
  return `${(space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
