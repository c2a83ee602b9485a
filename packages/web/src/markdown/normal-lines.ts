/** Every line ends with a single newline, whatever system the text is from. */
export function normalLines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/gu, "\n") : text;
}
