/** Gives the lines of a bundle to the browser as a file. Half a bundle is none: it throws. */
export async function saveBundle(lines: AsyncIterable<string>, name: string): Promise<void> {
  const parts: string[] = [];
  for await (const line of lines) parts.push(line, "\n");
  const url = URL.createObjectURL(new Blob(parts, { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has it when it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
