import type { Json } from "../../domain/json.ts";
import type { IdempotencyKey, RememberedAnswer } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { CommandExtras } from "../execute-command.ts";
import { refuse, type Reply } from "../reply.ts";
import type { Idempotent } from "./request-types.ts";

export type RequestKey = IdempotencyKey & Pick<RememberedAnswer, "requestHash">;

export function keyOf(scope: string, { idempotency }: Idempotent): RequestKey | null {
  return idempotency === null ? null : { scope, ...idempotency };
}

/**
 * Executes a request, unless an equal one was executed before: then it gets the earlier response. It also gets that if it is
 * refused, because an equal request that was stored meanwhile can be the reason.
 */
export async function once<Response extends object, Answer extends object>(
  { store }: RuntimeContext,
  key: RequestKey | null,
  {
    execute,
    toAnswer,
  }: {
    readonly execute: () => Promise<Reply<Answer>>;
    readonly toAnswer: (response: Response) => Answer;
  },
): Promise<Reply<Answer>> {
  const earlier = async (): Promise<Reply<Answer> | null> => {
    const remembered = key === null ? null : await store.recall(key);
    if (key === null || remembered === null) return null;
    if (remembered.requestHash !== key.requestHash)
      return refuse(
        "idempotency_key_reused",
        "This Idempotency-Key was used for another request. Use a new one.",
      );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `remembering` under a key of the same scope
    return { ok: true, ...toAnswer(remembered.response as Response) };
  };
  const before = await earlier();
  if (before !== null) return before;
  const reply = await execute();
  return reply.ok ? reply : ((await earlier()) ?? reply);
}

/** Equal requests at the same time are executed once, and all get the reply. */
export function shareEqual<Request extends Idempotent, Answer>(
  execute: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (request) => {
    const { idempotency } = request;
    if (idempotency === null) return execute(request);
    const name = JSON.stringify([idempotency.key, idempotency.requestHash]);
    const shared = underWay.get(name) ?? execute(request).finally(() => void underWay.delete(name));
    underWay.set(name, shared);
    return shared;
  };
}

/** Stores the response under the key of its request. */
export function remembering(
  key: RequestKey | null,
  response: object,
): Pick<CommandExtras, "remember"> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- interfaces have no index signature; the data is JSON
  return key === null ? {} : { remember: { ...key, response: response as Json } };
}
