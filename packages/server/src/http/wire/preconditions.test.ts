import { describe, expect, it } from "vitest";
import { idempotencyOf } from "./preconditions.ts";

const digestOf = (request: { method?: string; url?: string; body?: unknown }) =>
  idempotencyOf({
    method: "POST",
    url: "/api/sessions",
    body: {},
    headers: { "idempotency-key": "k1" },
    ...request,
  })?.requestHash;

describe("the digest that goes with a client's key", () => {
  it("is the same for equivalent requests", () => {
    expect(digestOf({ body: { a: 1, b: { c: [1, { d: 2, e: 3 }] }, x: undefined } })).toBe(
      digestOf({ body: { b: { c: [1, { e: 3, d: 2 }] }, a: 1 }, url: "/api/sessions?x=1" }),
    );
    expect(digestOf({ body: undefined })).toBe(digestOf({ body: null }));
  });

  it("differs for another method, path or body", () => {
    const digests = [
      digestOf({}),
      digestOf({ method: "PUT" }),
      digestOf({ url: "/api/sessions/s1/messages" }),
      digestOf({ body: { a: 1 } }),
      digestOf({ body: { a: "1" } }),
      digestOf({ body: { a: [1] } }),
      digestOf({ body: { a: { 0: 1 } } }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it("is absent without a key", () => {
    const request = { method: "POST", url: "/api/sessions", body: {}, headers: {} };
    expect(idempotencyOf(request)).toBeNull();
  });
});
