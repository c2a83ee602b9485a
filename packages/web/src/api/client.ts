import { type Client, createUncheckedClient } from "@holdfast/client";
import { createAccessStore } from "./access.ts";
import { createConnectionStore } from "./connection.ts";
import { createPageFetch } from "./page-fetch.ts";
import { pageStorage } from "./page-storage.ts";
import { createRetryingFetch, createWaiting } from "./retrying-fetch.ts";

/** The token this page uses, and whether the server takes it. */
export const access = createAccessStore(pageStorage);

/** Whether the page hears of changes. */
export const connection = createConnectionStore();

/** How long until the next attempt, and how to have it now. */
export const waiting = createWaiting(window);

const send = createPageFetch({ access, send: (input, init) => fetch(input, init) });

/** The server this page came from. */
export const client: Client = createUncheckedClient({ url: location.origin, fetch: send });

/** For the stream of all sessions only: it is what tells whether the page is live. */
export const liveClient: Client = createUncheckedClient({
  url: location.origin,
  fetch: createRetryingFetch({ send, connection, waiting }),
});
