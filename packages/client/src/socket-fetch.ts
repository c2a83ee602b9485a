import { createNodeTransport } from "./node-transport.ts";

/** A `fetch` that sends every request over a Unix socket. Only in Node. */
export function createSocketFetch(socketPath: string): typeof fetch {
  const send = createNodeTransport({ socketPath });
  return async (input, { method = "GET", headers, body = null, signal = null } = {}) => {
    const {
      status,
      headerPairs,
      body: received,
    } = await send(new URL(input instanceof Request ? input.url : input), {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body,
      signal,
    });
    return new Response(received, { status, headers: headerPairs.map((pair) => [...pair]) });
  };
}
