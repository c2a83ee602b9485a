import { clientOf, type Client, type ClientOptions } from "./client.ts";
import { createConnection } from "./connection.ts";
import { schemaValidation } from "./schema-validation.ts";
import { createSocketFetch } from "./socket-fetch.ts";

/** A client that checks every field of the replies. It is apart from the other, which needs no schemas. */
export function createClient(options: ClientOptions): Client {
  const reached =
    "socketPath" in options
      ? { ...options, url: "http://localhost", fetch: createSocketFetch(options.socketPath) }
      : options;
  return clientOf(createConnection(reached, schemaValidation));
}
