import { useMemo, useState } from "react";

export type Selection = ReturnType<typeof useSelection>;

export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  return useMemo(
    () => ({
      ids,
      toggle: (id: string): void => {
        setIds((before) => toggled(before, id));
        setLast(id);
      },
      /** Selects the range from the last toggled session to this one. */
      extendTo: (id: string, order: readonly string[]): void => {
        setIds((before) => new Set([...before, ...between(order, last ?? id, id)]));
        setLast(id);
      },
      set: (all: readonly string[]): void => setIds(new Set(all)),
      clear: (): void => setIds(new Set()),
    }),
    [ids, last],
  );
}

export function between(order: readonly string[], one: string, other: string): readonly string[] {
  const from = order.indexOf(one);
  const to = order.indexOf(other);
  if (from === -1 || to === -1) return [other];
  return order.slice(Math.min(from, to), Math.max(from, to) + 1);
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return ids.has(id) ? new Set([...ids].filter((each) => each !== id)) : new Set([...ids, id]);
}
