import * as protocol from "@holdfast/protocol";
import type { Reply, ReplyName, Validation } from "./validation.ts";

/** Validates every field with the schemas of the protocol. */
export const schemaValidation: Validation = {
  reply: (name, body) => {
    const schemas: { readonly [Name in ReplyName]: Schema<Reply<Name>> } = protocol;
    return schemas[name].safeParse(body).data;
  },
  event: protocol.parseFeedEvent,
};

interface Schema<Value> {
  safeParse(value: unknown): { readonly data?: Value | undefined };
}
