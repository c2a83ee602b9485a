/** Saves a text as a file of the user. */
export function saveFile(parts: readonly string[], { name, type }: FileLabel): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export interface FileLabel {
  readonly name: string;
  readonly type: string;
}
