import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { message, messageJson, session } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

const get = async (url: string, headers: Record<string, string>) => {
  const app = await testApp();
  return app.inject({ url, headers });
};

describe("a long reply", () => {
  it.each([
    ["zstd", "gzip, deflate, br, zstd", zstdDecompressSync],
    ["br", "gzip, br", brotliDecompressSync],
    ["br", "gzip, br, zstd;q=0", brotliDecompressSync],
    ["gzip", "gzip, deflate", gunzipSync],
  ] as const)(
    "is compressed with %s for a client that accepts %s (C10)",
    async (name, accepted, decompress) => {
      const plain = await get("/openapi.json", {});
      const reply = await get("/openapi.json", { "accept-encoding": accepted });
      expect(reply.headers).toMatchObject({ "content-encoding": name, vary: "accept-encoding" });
      expect(Number(reply.headers["content-length"])).toBe(reply.rawPayload.length);
      expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
      expect(decompress(reply.rawPayload).toString()).toBe(plain.body);
    },
  );

  it.each(["", "identity", "gzip;q=0", "deflate"])(
    "is sent as it is to others: %j",
    async (accepted) => {
      const reply = await get("/openapi.json", { "accept-encoding": accepted });
      expect(reply.headers).not.toHaveProperty("content-encoding");
      expect(reply.headers).toMatchObject({ vary: "accept-encoding" });
      expect(reply.json()).toHaveProperty("openapi");
    },
  );

  it("of messages is compressed", async () => {
    const text = "words that say something. ".repeat(1_000);
    const messages = messageJson(message({ content: { type: "text", text } }));
    const app = await testApp({
      runtime: { readMessages: async () => ({ ok: true, messages, decisions: [], nextAfter: 3 }) },
    });
    const headers = { "accept-encoding": "zstd" };
    const reply = await app.inject({ url: "/api/sessions/s1/messages", headers });
    expect(reply.headers).toMatchObject({
      "content-encoding": "zstd",
      "content-type": "application/json; charset=utf-8",
    });
    expect(JSON.parse(zstdDecompressSync(reply.rawPayload).toString())).toMatchObject({
      messages: [{ id: "m1", content: { text } }],
      nextAfter: 3,
    });
  });

  it("to a write is not compressed: it may hold a secret beside text of the client", async () => {
    const updated = session({ title: "words that say something. ".repeat(1_000) });
    const app = await testApp({
      runtime: { updateSession: async () => ({ ok: true, session: updated }) },
    });
    const reply = await app.inject({
      method: "PATCH",
      url: "/api/sessions/s1",
      payload: { title: "new" },
      headers: { "accept-encoding": "gzip, br, zstd" },
    });
    expect([reply.statusCode, reply.headers["content-encoding"]]).toEqual([200, undefined]);
    expect(reply.body.length).toBeGreaterThan(20_000);
  });
});

it("a short reply is not compressed", async () => {
  const reply = await get("/api/unknown", { "accept-encoding": "gzip" });
  expect([reply.statusCode, reply.headers["content-encoding"]]).toEqual([404, undefined]);
});
