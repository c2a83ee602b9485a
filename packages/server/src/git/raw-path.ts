/**
 * The path of a file in a repository, one character for each byte: names of files need not be valid UTF-8, and none may
 * change on the way from Git to Git.
 */
export type RawPath = string & { readonly rawPath: unique symbol };

export function splitPaths(bytes: Buffer): readonly RawPath[] {
  return splitFields(bytes).filter((path) => path !== "");
}

/** The fields of Git's output with `-z`, some of which are paths. */
export function splitFields(bytes: Buffer): readonly RawPath[] {
  const text = bytes.toString("latin1");
  const whole = text.endsWith("\0") ? text.slice(0, -1) : text;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is where raw paths come from
  return whole === "" ? [] : (whole.split("\0") as RawPath[]);
}

export function joinPaths(paths: readonly RawPath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

/** The path for people. Bytes that are not UTF-8 are replaced. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** The path for the file system. */
export function pathBytes(path: RawPath): Buffer {
  return Buffer.from(path, "latin1");
}
