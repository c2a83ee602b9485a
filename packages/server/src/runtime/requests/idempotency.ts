import type { Json } from "../../domain/json.ts";
import type { IdempotencyKey, RememberedAnswer } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { CommandExtras } from "../execute-command.ts";
import { refuse, type Refused } from "../reply.ts";
import type { Idempotent } from "./request-types.ts";

type RequestKey = IdempotencyKey & Pick<RememberedAnswer, "requestHash">;

export function keyOf(scope: string, { idempotency }: Idempotent): RequestKey | null {
  return idempotency === null ? null : { scope, ...idempotency };
}

/** The earlier response to the same request; null if there is none. */
export async function recalled<Response extends object>(
  { store }: RuntimeContext,
  key: RequestKey | null,
): Promise<{ readonly ok: true; readonly response: Response } | Refused | null> {
  const earlier = key === null ? null : await store.recall(key);
  if (key === null || earlier === null) return null;
  if (earlier.requestHash !== key.requestHash)
    return refuse(
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request. Use a new one.",
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `remembering` under a key of the same scope
  return { ok: true, response: earlier.response as Response };
}

/** Stores the response under the key of its request. */
export function remembering(
  key: RequestKey | null,
  response: object,
): Pick<CommandExtras, "remember"> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- interfaces have no index signature; the data is JSON
  return key === null ? {} : { remember: { ...key, response: response as Json } };
}
