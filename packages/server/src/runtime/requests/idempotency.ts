import type { Json } from "../../domain/json.ts";
import type { IdempotencyKey } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused } from "../reply.ts";
import type { Idempotent } from "./request-types.ts";

export function keyOf(scope: string, { idempotency }: Idempotent): IdempotencyKey | null {
  return idempotency === null ? null : { scope, key: idempotency.key };
}

/** The earlier response to the same request; null if there is none. */
export async function recalled(
  { store }: RuntimeContext,
  { key, request }: { readonly key: IdempotencyKey | null; readonly request: Idempotent },
): Promise<{ readonly ok: true; readonly response: Json } | Refused | null> {
  const earlier = key === null ? null : await store.recall(key);
  if (earlier === null) return null;
  if (earlier.requestHash === request.idempotency?.requestHash) {
    return { ok: true, response: earlier.response };
  }
  return refuse(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request. Use a new one.",
  );
}

/** A reply for storage under its idempotency key. */
export function toRemembered(reply: object): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- interfaces have no index signature; the data is JSON
  return reply as Json;
}

/** Reverses `toRemembered`. Only our own code writes these rows. */
export function fromRemembered<Reply extends object>(response: Json): Reply {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `toRemembered` under a key of the same scope
  return response as Reply;
}
