import { type Client, createUncheckedClient } from "@holdfast/client";
import { createAccessStore } from "./access.ts";
import type { ConnectionStore } from "./connection.ts";
import { createPageFetch } from "./page-fetch.ts";
import { pageStorage } from "./page-storage.ts";
import { parseSharedLink } from "../sharing/shared-link.ts";
import { createStore } from "./store.ts";
import { createRetryingFetch, createWaiting } from "./retrying-fetch.ts";

/** The token of this page, and whether the server accepts it. */
export const access = createAccessStore(pageStorage);

/** The state of the event stream. */
export const connection: ConnectionStore = createStore({ kind: "connecting" });

/** Pauses between attempts, which can be ended early. */
export const waiting = createWaiting(window);

const send = createPageFetch({
  access,
  token: parseSharedLink(location)?.token ?? null,
  send: (input, init) => fetch(input, init),
});

/** The server this page came from. */
export const client: Client = createUncheckedClient({ url: location.origin, fetch: send });

/** Only for the stream of all sessions, which decides whether the page is live. */
export const liveClient: Client = createUncheckedClient({
  url: location.origin,
  fetch: createRetryingFetch({ send, connection, waiting }),
});
