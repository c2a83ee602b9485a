/** The version of a session as `ETag` and `If-Match` carry it. */
export function toEtag(version: number): string {
  return `"${version}"`;
}

/** Null when the text is no tag of ours. */
export function parseEtag(tag: string): number | null {
  const digits = /^(?:W\/)?"(\d{1,15})"$/u.exec(tag.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}
