import { setImmediate } from "node:timers/promises";
import type { ListPosition } from "../storage/store.ts";

/** All pages of a list. Yields to the event loop between two pages. */
export async function* pagesOf<Page extends { readonly next: ListPosition | null }>(
  read: (position: { readonly after?: ListPosition }) => Promise<Page>,
  signal?: AbortSignal,
): AsyncGenerator<Page> {
  let after: ListPosition | null = null;
  do {
    const page: Page = await read(after === null ? {} : { after });
    yield page;
    after = page.next;
    await setImmediate();
  } while (after !== null && signal?.aborted !== true);
}
