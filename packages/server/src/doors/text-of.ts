/** The text of a field that others wrote; null if it is something else. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
