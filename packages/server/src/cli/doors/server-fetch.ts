import { createSocketFetch } from "@holdfast/client";
import type { ServerAddress } from "../gateway/find-server.ts";

/** Throws if there is no server. */
export type FindServer = () => Promise<ServerAddress>;

/**
 * A `fetch` for a server that may be restarted meanwhile, at another address: after a failed request the next one finds the
 * server again.
 */
export function createServerFetch(find: FindServer, userAgent: string): typeof fetch {
  let found: Promise<typeof fetch> | null = null;
  return async (input, init) => {
    const current = (found ??= find().then((address) => fetchOf(address, userAgent)));
    try {
      return await (
        await current
      )(input, init);
    } catch (error) {
      if (found === current && init?.signal?.aborted !== true) found = null;
      throw error;
    }
  };
}

/** Sends a request for any address to this server, with its token. */
function fetchOf({ url, client }: ServerAddress, userAgent: string): typeof fetch {
  const [send, token] =
    "socketPath" in client
      ? [createSocketFetch(client.socketPath), undefined]
      : [fetch, client.token];
  return (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    headers.set("user-agent", userAgent);
    return send(new URL(`${pathname}${search}`.slice(1), url.endsWith("/") ? url : `${url}/`), {
      ...init,
      headers,
    });
  };
}
