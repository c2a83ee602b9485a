import type { ClientOptions } from "./client.ts";
import type { ConnectionOptions } from "./connection.ts";
import { createNodeTransport } from "./node-transport.ts";

/** The options of a connection to the server, also if they name its socket. */
export function connectionTo(options: ClientOptions): ConnectionOptions {
  return "socketPath" in options
    ? { ...options, url: "http://localhost", fetch: createNodeTransport(options) }
    : options;
}
