import type { Json } from "../domain/json.ts";

/** A reply as it is kept under its idempotency key: plain data, made of JSON throughout. */
export function toRemembered(reply: object): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- interfaces have no index signature; the data is JSON
  return reply as Json;
}

/** What `toRemembered` kept; only our own code writes it, in the transaction it tells of. */
export function fromRemembered<Reply extends object>(response: Json): Reply {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `toRemembered` under a key of the same scope
  return response as Reply;
}
