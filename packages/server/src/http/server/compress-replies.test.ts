import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { testApp } from "../testing/test-app.ts";

const get = async (url: string, headers: Record<string, string>) => {
  const app = await testApp();
  return app.inject({ url, headers });
};

describe("a long reply", () => {
  it("is compressed for a client that accepts it (C10)", async () => {
    const plain = await get("/openapi.json", {});
    const reply = await get("/openapi.json", { "accept-encoding": "gzip, br" });
    expect(reply.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(Number(reply.headers["content-length"])).toBe(reply.rawPayload.length);
    expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    expect(gunzipSync(reply.rawPayload).toString()).toBe(plain.body);
  });

  it.each(["", "identity", "gzip;q=0", "br"])(
    "is sent as it is to others: %j",
    async (accepted) => {
      const reply = await get("/openapi.json", { "accept-encoding": accepted });
      expect(reply.headers).not.toHaveProperty("content-encoding");
      expect(reply.headers).toMatchObject({ vary: "accept-encoding" });
      expect(reply.json()).toHaveProperty("openapi");
    },
  );
});

it("a short reply is not compressed", async () => {
  const reply = await get("/api/unknown", { "accept-encoding": "gzip" });
  expect([reply.statusCode, reply.headers["content-encoding"]]).toEqual([404, undefined]);
});
