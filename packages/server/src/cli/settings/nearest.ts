/** The known name that was most likely meant; null when none is near. */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const distances = known
    .map((candidate) => ({
      candidate,
      distance: distance(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter((found) => found.distance <= limit)
    .toSorted((one, other) => one.distance - other.distance);
  return distances[0]?.candidate ?? null;
}

/** How many letters must be put in, taken out or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of from.split("").entries()) {
    const next = [index + 1];
    for (const [column, other] of to.split("").entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
