import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { READY } from "../testing/samples.ts";
import { RawClient } from "../testing/raw-client.ts";
import { listen, testApp } from "../testing/test-app.ts";

let webFolder: string;
beforeAll(() => {
  webFolder = mkdtempSync(path.join(tmpdir(), "holdfast-web-"));
  writeFileSync(path.join(webFolder, "index.html"), "<!doctype html><title>Holdfast</title>");
  writeFileSync(path.join(webFolder, "app.js"), "0");
});
afterAll(() => rmSync(webFolder, { recursive: true }));

const open = (token: string | null = null) =>
  testApp({
    token,
    webFolder,
    runtime: {
      readiness: async () => READY,
      listSuspensions: async () => [],
      openGlobalFeed: () => {
        throw new Error("the guard let it through");
      },
    },
  });

type TestRequest = { readonly url?: string; readonly method?: "GET" | "HEAD" | "POST" | "DELETE" };

const NAVIGATION = {
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

describe("the guard", () => {
  it("accepts only names of this machine without authentication, on every route", async () => {
    const app = await open();
    const statusFor = async (host: string, url = "/readyz"): Promise<number> =>
      (await app.inject({ url, headers: { host } })).statusCode;
    for (const host of ["127.0.0.1:4664", "127.0.0.2", "localhost", "LOCALHOST:1", "[::1]:4664"])
      expect(await statusFor(host)).toBe(200);
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      "10.0.0.1:4664",
      "localhost.evil",
    ])
      expect(await statusFor(host)).toBe(403);
    for (const url of [
      "/",
      "/app.js",
      "/docs",
      "/openapi.json",
      "/healthz",
      "/api/events",
      "/nowhere",
    ])
      expect(await statusFor("evil.example", url)).toBe(403);
  });

  it("requires the token everywhere except for health and pages, which contain no data", async () => {
    const app = await open("s3cret");
    const statusOf = async (url: string, authorization?: string): Promise<number> =>
      (await app.inject({ url, headers: authorization === undefined ? {} : { authorization } }))
        .statusCode;
    for (const url of ["/healthz", "/", "/app.js", "/docs", "/openapi.json"])
      expect(await statusOf(url)).toBe(200);
    for (const url of ["/readyz", "/metrics", "/api/suspensions", "/api/events", "/nowhere"]) {
      expect(await statusOf(url)).toBe(401);
      expect(await statusOf(url, "Bearer wrong")).toBe(401);
      expect(await statusOf(url, "s3cret")).toBe(401);
    }
    expect(await statusOf("/readyz", "Bearer s3cret")).toBe(200);
    expect(await statusOf("/api/suspensions", "bearer s3cret")).toBe(200);
    const refused = await app.inject("/api/suspensions");
    expect(refused.headers["www-authenticate"]).toBe("Bearer");
    expect(refused.json()).toMatchObject({ code: "unauthorized", status: 401 });
  });

  it.each([
    ["a page of another site", { origin: "https://evil.example" }],
    ["a page on another port", { origin: "http://localhost:3000" }],
    ["a page without an origin of its own", { origin: "null" }],
    ["an invalid origin", { origin: "no url" }],
    ["a page with TLS, which this server is not", { origin: "https://localhost:4664" }],
    [
      "a page without TLS, while a proxy offers it",
      { origin: "http://localhost:4664", "x-forwarded-proto": "https" },
    ],
    ["another site, according to the browser", { "sec-fetch-site": "cross-site" }],
    ["a sibling domain, according to the browser", { "sec-fetch-site": "same-site" }],
    ["a frame of another site", { ...NAVIGATION, "sec-fetch-dest": "iframe" }],
    ["a form of another site", { ...NAVIGATION, origin: "https://evil.example" }],
  ])("refuses requests of %s, for the API, streams and files", async (_who, headers) => {
    const app = await open();
    for (const url of [
      "/api/suspensions",
      "/api/events",
      "/",
      "/app.js",
      "/docs",
      "/healthz",
      "/no",
    ]) {
      const reply = await app.inject({ url, headers: { host: "localhost:4664", ...headers } });
      expect([reply.statusCode, reply.json().code]).toEqual([403, "origin_not_allowed"]);
    }
  });

  it("lets other sites link to its pages, and to nothing else", async () => {
    const app = await open();
    const statusOf = async (request: TestRequest): Promise<number> =>
      (await app.inject({ ...request, headers: { accept: "text/html", ...NAVIGATION } }))
        .statusCode;
    for (const url of ["/", "/docs", "/sessions/s1"]) expect(await statusOf({ url })).toBe(200);
    expect(await statusOf({ url: "/api/suspensions" })).toBe(403);
    expect(await statusOf({ url: "/readyz" })).toBe(403);
    expect(await statusOf({ url: "/", method: "POST" })).toBe(403);
  });

  it("accepts requests of its own page, and of programs that name no site", async () => {
    const app = await open();
    for (const headers of [
      { origin: "http://localhost:4664", "sec-fetch-site": "same-origin" },
      { origin: "http://LOCALHOST:4664" },
      { origin: "https://localhost:4664", "x-forwarded-proto": "https" },
      { "sec-fetch-site": "none" },
      {},
    ]) {
      const reply = await app.inject({
        url: "/api/suspensions",
        headers: { host: "localhost:4664", ...headers },
      });
      expect([reply.statusCode, reply.json()]).toEqual([
        200,
        { suspensions: [], unusedAnswers: [] },
      ]);
    }
  });

  it("refuses a request with two Host headers", async () => {
    const app = await open();
    const port = await listen(app);
    for (const second of ["localhost", "evil.example"]) {
      const client = new RawClient(port, "/readyz", { Host: second, connection: "close" });
      await client.closed;
      expect(client.received).toMatch(/^HTTP\/1.1 400 /u);
      expect(JSON.parse(client.body)).toMatchObject({
        code: "invalid_request",
        detail: "A request must have only one Host header.",
      });
    }
  });

  it("sends no headers that would let another site read a reply", async () => {
    const app = await open();
    const preflight = await app.inject({
      method: "OPTIONS",
      url: "/api/sessions",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(preflight.statusCode).toBe(403);
    const replies = [preflight, await app.inject("/api/suspensions")];
    for (const { headers } of replies) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    }
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
  ])("refuses a body of type %j, which a form of another site can send", async (type) => {
    const app = await open();
    for (const url of ["/api/sessions", "/api/sessions/s1/cancel", "/api/sessions/import"]) {
      const reply = await app.inject({
        method: "POST",
        url,
        payload: "{}",
        headers: type === "" ? {} : { "content-type": type },
      });
      expect([reply.statusCode, reply.json().code]).toEqual([415, "unsupported_media_type"]);
    }
  });

  it("sends headers against framing, type guessing, caching and scripts", async () => {
    const app = await open();
    const { headers } = await app.inject("/api/suspensions");
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    const page = await app.inject("/");
    expect(page.headers["content-security-policy"]).toMatch("default-src 'self'");
    expect(page.headers["x-frame-options"]).toBe("DENY");
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("serves the page for its addresses to browsers, and 404 to programs", async () => {
    const app = await open("s3cret");
    const page = await app.inject({ url: "/sessions/s1", headers: { accept: "text/html,*/*" } });
    expect([page.statusCode, page.headers["content-type"]]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(page.headers["content-security-policy"]).toMatch("default-src 'self'");
    const program = { authorization: "Bearer s3cret" };
    expect((await app.inject({ url: "/sessions/s1", headers: program })).statusCode).toBe(404);
    const inside = { url: "/api/nothing", headers: { ...program, accept: "text/html" } };
    expect((await app.inject(inside)).statusCode).toBe(404);
  });
});
