/** The neighbour of the open session, around the end. Null if there is no other one. */
export function nextOf(ids: readonly string[], open: string | null, by: 1 | -1): string | null {
  const from = open === null ? -1 : ids.indexOf(open);
  const start = from === -1 && by === -1 ? 0 : from;
  const next = ids.at((start + by) % Math.max(1, ids.length));
  return next === undefined || next === open ? null : next;
}
