import type { Json } from "../../domain/json.ts";
import type { IdempotencyKey } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused } from "../reply.ts";
import type { Idempotent } from "../runtime.ts";

export function keyOf(scope: string, { idempotency }: Idempotent): IdempotencyKey | null {
  return idempotency === null ? null : { scope, key: idempotency.key };
}

/** What was answered under the same key before; null when nothing was. */
export async function recalled(
  { store }: RuntimeContext,
  { key, request }: { readonly key: IdempotencyKey | null; readonly request: Idempotent },
): Promise<{ readonly ok: true; readonly response: Json } | Refused | null> {
  const known = key === null ? null : await store.recall(key);
  if (known === null) return null;
  if (known.requestHash === request.idempotency?.requestHash) {
    return { ok: true, response: known.response };
  }
  return refuse(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request. Use a new one.",
  );
}

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
