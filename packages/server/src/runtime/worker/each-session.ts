import { setImmediate } from "node:timers/promises";
import type { ListPosition, SessionQuery, Store } from "../../storage/store.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";

const PAGE = 500;

/** All sessions of a query, page by page. Yields to the event loop between two pages. */
export async function* eachSession(
  store: Store,
  {
    signal,
    ...query
  }: Pick<SessionQuery, "statuses" | "repoId"> & { readonly signal: AbortSignal },
): AsyncGenerator<readonly SessionSnapshot[]> {
  let after: ListPosition | null = null;
  do {
    const page = await store.listSessions({
      ...query,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    yield page.sessions;
    after = page.next;
    await setImmediate();
  } while (after !== null && !signal.aborted);
}
