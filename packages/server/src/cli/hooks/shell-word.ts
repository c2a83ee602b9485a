/** One word of a command line, as a shell reads it back. */
export function shellWord(text: string): string {
  return /^[\w.:@%+=,/-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
