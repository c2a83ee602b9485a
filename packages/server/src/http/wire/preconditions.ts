import { idempotencyKeySchema, parseEtag } from "@holdfast/protocol";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Json } from "../../domain/json.ts";
import type { Idempotent, OnSession } from "../../runtime/runtime.ts";
import { fromWireJson } from "./from-wire.ts";
import { pathOf } from "./route-path.ts";

/** `If-Match`: the change is made only if the session is still what the client has seen. */
export const ifMatchSchema = z.looseObject({
  "if-match": z
    .string()
    .transform((tag, context) => {
      if (tag.trim() === "*") return null;
      const version = parseEtag(tag);
      if (version !== null) return version;
      context.addIssue({ code: "custom", message: 'must be one ETag of the session, such as "7"' });
      return z.NEVER;
    })
    .optional()
    .describe("the ETag seen last; refused with 412 when the session has changed since"),
});

export function onSession({
  params,
  headers,
}: {
  readonly params: { readonly id: string };
  readonly headers: z.output<typeof ifMatchSchema>;
}): OnSession {
  const version = headers["if-match"] ?? null;
  return { sessionId: params.id, ...(version !== null && { version }) };
}

/** `Idempotency-Key`: the same request with the same key is done once and gets the same answer. */
export const idempotencySchema = z.looseObject({
  "idempotency-key": idempotencyKeySchema
    .optional()
    .describe("the client's own key: sent again with it, a request gets the same answer"),
});

export function idempotencyOf({
  method,
  url,
  headers,
  body,
}: {
  readonly method: string;
  readonly url: string;
  readonly headers: z.output<typeof idempotencySchema>;
  readonly body: unknown;
}): Idempotent["idempotency"] {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  const request = `${method} ${pathOf(url)}\n${canonical(fromWireJson(withoutUndefined(body)))}`;
  return { key, requestHash: createHash("sha256").update(request).digest("hex") };
}

function withoutUndefined(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? null));
}

/** Equal for requests that mean the same: the order of keys says nothing. */
function canonical(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  const fields = Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`);
  return `{${fields.join(",")}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
