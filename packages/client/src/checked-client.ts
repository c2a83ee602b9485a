import { clientOf, type Client, type ClientOptions } from "./client.ts";
import { createConnection } from "./connection.ts";
import { connectionTo } from "./connection-to.ts";
import { schemaValidation } from "./schema-validation.ts";

/** A client that checks every field of the replies. It is apart from the other, which needs no schemas. */
export function createClient(options: ClientOptions): Client {
  return clientOf(createConnection(connectionTo(options), schemaValidation));
}
