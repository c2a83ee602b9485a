import type { Json } from "../../domain/json.ts";

/** Answers to requests that carried an idempotency key. */
export interface AnswerStore {
  /** The answer that an earlier request with this key got. */
  recall(key: IdempotencyKey): Promise<RememberedAnswer | null>;
  forgetAnswers(query: { readonly olderThan: number }): Promise<number>;
}

export interface IdempotencyKey {
  readonly scope: string;
  readonly key: string;
}

export interface RememberedAnswer {
  readonly requestHash: string;
  readonly response: Json;
}
