/** The path relative to the root; unchanged when it is outside. */
export function shortPath(path: string, root: string | null): string {
  if (root === null || root === "") return path;
  const folder = root.endsWith("/") ? root : `${root}/`;
  return path.startsWith(folder) && path.length > folder.length ? path.slice(folder.length) : path;
}
