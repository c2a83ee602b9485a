import type { SessionPage, SessionQuery } from "./ports/session-store.ts";

/** Pages kept: of the few lists that people look at again and again. */
const MAX_KEPT = 20;

type ReadList = (query: SessionQuery) => Promise<SessionPage>;

/** The same page again, as long as nobody has written anything. Where it cannot be told whether somebody has, it is read each time. */
export function keepLists(read: ReadList, contentVersion?: () => number): ReadList {
  if (contentVersion === undefined) return read;
  const kept = new Map<string, SessionPage>();
  let keptAt: number | null = null;
  return async (query) => {
    // Before it is read: what is written meanwhile makes the page count as old, though it may be in it.
    const version = contentVersion();
    if (version !== keptAt) kept.clear();
    keptAt = version;
    const key = JSON.stringify(query);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const page = await read(query);
    if (keptAt === version && kept.size < MAX_KEPT) kept.set(key, page);
    return page;
  };
}
