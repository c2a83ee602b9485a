import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testApp } from "../testing/test-app.ts";

const SCRIPT = "/assets/app-1a2b3c.js";

let webFolder: string;
beforeAll(() => {
  webFolder = mkdtempSync(path.join(tmpdir(), "holdfast-web-"));
  mkdirSync(path.join(webFolder, "assets"));
  writeFileSync(path.join(webFolder, "index.html"), "<!doctype html><title>Holdfast</title>");
  writeFileSync(path.join(webFolder, "sw.js"), "// worker");
  for (const [end, text] of [
    ["", "plain"],
    [".br", "as brotli"],
    [".gz", "as gzip"],
  ])
    writeFileSync(path.join(webFolder, `${SCRIPT}${end}`), text ?? "");
});
afterAll(() => rmSync(webFolder, { recursive: true }));

const get = async (url: string, headers: Record<string, string> = {}) => {
  const app = await testApp({ webFolder });
  const { statusCode, body, headers: got } = await app.inject({ url, headers });
  return { statusCode, body, headers: got };
};

describe("the page's files", () => {
  it.each([
    ["", "plain", undefined],
    ["gzip", "as gzip", "gzip"],
    ["gzip, br", "as brotli", "br"],
    ["br;q=0, gzip;q=0.5", "as gzip", "gzip"],
    ["GZIP ; q=0.000", "plain", undefined],
    ["zstd", "plain", undefined],
  ])("are sent in the best accepted encoding: %j", async (accepted, body, encoding) => {
    const reply = await get(SCRIPT, { "accept-encoding": accepted });
    expect(reply).toMatchObject({ statusCode: 200, body });
    expect(reply.headers["content-encoding"]).toBe(encoding);
    expect(reply.headers).toMatchObject({
      "content-type": "application/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "content-security-policy": expect.stringContaining("default-src 'self'"),
    });
  });

  it("are revalidated if their name has no hash, and not sent again if they are unchanged", async () => {
    const { headers } = await get("/sw.js");
    expect(headers["cache-control"]).toBe("public, max-age=0");
    const again = await get("/sw.js", { "if-none-match": String(headers.etag) });
    expect(again).toMatchObject({ statusCode: 304, body: "" });
  });

  it("are only those of the build", async () => {
    for (const url of [
      "/assets/other.js",
      "/assets/",
      "/assets/..%2fsw.js",
      "/assets/app-1a2b3c.js/",
    ])
      expect(await get(url)).toMatchObject({ statusCode: 404 });
    const app = await testApp({ webFolder });
    const put = await app.inject({ method: "PUT", url: SCRIPT });
    expect([put.statusCode, put.headers.allow]).toEqual([405, "GET, HEAD"]);
    const head = await app.inject({ method: "HEAD", url: SCRIPT });
    expect(head.statusCode).toBe(200);
  });
});
