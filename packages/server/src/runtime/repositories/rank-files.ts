/**
 * The paths that have the letters of a query in order, whatever their case, best first: those whose name begins
 * with it, whose name has it, whose path has it, and then those with other letters in between. Among equals
 * the shorter path, then by name.
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
    const found = path.indexOf(character, at);
    if (found === -1) return false;
    at = found + character.length;
  }
  return true;
}
