/**
 * Fuzzy search: the paths that contain the letters of the query in order, in any case. Names that begin with the query come
 * first, then names that contain it, then paths that contain it, then the others. Ties are sorted by length, then by name.
 */
export function rankFiles(
  paths: readonly string[],
  { query, limit }: { readonly query: string; readonly limit: number },
): readonly string[] {
  const wanted = query.toLowerCase();
  return paths
    .flatMap((path) => {
      const rank = rankOf(path.toLowerCase(), wanted);
      return rank === null ? [] : [{ path, rank }];
    })
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        one.path.length - other.path.length ||
        (one.path < other.path ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | null {
  const at = path.lastIndexOf(wanted);
  const nameAt = path.lastIndexOf("/") + 1;
  if (path.startsWith(wanted, nameAt)) return 0;
  if (at >= nameAt) return 1;
  if (path.startsWith(wanted)) return 2;
  if (at !== -1) return 3;
  if (hasInOrder(path.slice(nameAt), wanted)) return 4;
  return hasInOrder(path, wanted) ? 5 : null;
}

function hasInOrder(path: string, wanted: string): boolean {
  let at = 0;
  for (const character of wanted) {
    const index = path.indexOf(character, at);
    if (index === -1) return false;
    at = index + character.length;
  }
  return true;
}
