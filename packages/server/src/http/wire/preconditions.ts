import { idempotencyKeySchema, parseEtag } from "@holdfast/protocol";
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../../domain/json.ts";
import type { Idempotent, OnSession } from "../../runtime/runtime.ts";
import { fromWireJson } from "./from-wire.ts";
import { pathOf } from "./route-path.ts";

/** `If-Match`: the change is made only if the session has not changed since the client read it. */
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
    .describe("the ETag that the client has; if the session has changed since, the reply is 412"),
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

/** `Idempotency-Key`: a repeated request with the same key is executed once and gets the same reply. */
export const idempotencySchema = z.looseObject({
  "idempotency-key": idempotencyKeySchema
    .optional()
    .describe(
      "a key chosen by the client; a repeated request with the same key gets the same reply",
    ),
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
  const request = `${method} ${pathOf(url)}\n${canonicalJson(fromWireJson(withoutUndefined(body)))}`;
  return { key, requestHash: createHash("sha256").update(request).digest("hex") };
}

function withoutUndefined(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? null));
}
