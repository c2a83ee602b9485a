import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { problemSchema, PROBLEM_CODES, readinessSchema } from "@holdfast/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { REFUSAL_CODES } from "../domain/refusal.ts";
import type { Readiness } from "../runtime/readiness.ts";
import { FAULT_CODES, StorageFault } from "../storage/fault.ts";
import { buildApp, type App, type AppServices } from "./build-app.ts";

const READY: Readiness = {
  ready: true,
  reason: null,
  database: { engine: "sqlite", schema: "0003-search" },
  sessions: { active: 2, suspended: 1, archived: 4, error: 0, badge: 3 },
  setAside: 0,
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function app(services: Partial<AppServices> = {}): Promise<App> {
  const built = await buildApp({
    version: "1.2.3",
    startedAt: new Date("2026-01-02T03:04:05.678Z"),
    token: null,
    webFolder: null,
    readiness: async () => READY,
    logLevel: "silent",
    ...services,
  });
  closing.push(() => built.close());
  return built;
}

describe("the HTTP server", () => {
  it("says that it is alive", async () => {
    const reply = await (await app()).inject("/healthz");
    expect([reply.statusCode, reply.json()]).toEqual([200, { status: "ok", version: "1.2.3" }]);
  });

  it("says that it is ready, on what, and counts the rows set aside (B5)", async () => {
    const reply = await (
      await app({ readiness: async () => ({ ...READY, setAside: 2 }) })
    ).inject("/readyz");
    const { ready: _, ...rest } = READY;
    expect(reply.statusCode).toBe(200);
    expect(readinessSchema.parse(reply.json())).toEqual({
      status: "ready",
      version: "1.2.3",
      startedAt: "2026-01-02T03:04:05.678Z",
      ...rest,
      setAside: 2,
    });
  });

  it("answers 503 with the reason while its database is away", async () => {
    const readiness = async (): Promise<Readiness> => ({
      ready: false,
      reason: "The database failed: gone",
      database: { engine: "postgres", schema: null },
      sessions: null,
      setAside: null,
    });
    const reply = await (await app({ readiness })).inject("/readyz");
    expect(reply.statusCode).toBe(503);
    expect(reply.json()).toMatchObject({ status: "unready", reason: "The database failed: gone" });
  });

  it("describes itself as OpenAPI 3.1, as docs/reference/openapi.json has it", async () => {
    const reply = await (await app({ version: "0.1.0" })).inject("/openapi.json");
    expect(reply.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Holdfast" } });
    await expect(`${JSON.stringify(reply.json(), null, 2)}\n`).toMatchFileSnapshot(
      "../../../../docs/reference/openapi.json",
    );
  });

  it("gives every error as a problem document, without a stack trace", async () => {
    const missing = await (await app()).inject("/nowhere");
    expect(missing.headers["content-type"]).toMatch("application/problem+json");
    expect(problemSchema.parse(missing.json())).toMatchObject({ status: 404, code: "not_found" });

    const broken = await (
      await app({ readiness: () => Promise.reject(new Error("secret")) })
    ).inject("/readyz");
    expect(problemSchema.parse(broken.json())).toMatchObject({
      status: 500,
      code: "internal_error",
    });
    expect(broken.body).not.toMatch(/secret|at /u);

    const full = await (
      await app({
        readiness: () => Promise.reject(new StorageFault("disk_full", "The disk is full.")),
      })
    ).inject("/readyz");
    expect(problemSchema.parse(full.json())).toMatchObject({
      status: 507,
      code: "disk_full",
      detail: "The disk is full.",
    });
  });

  it("has a problem code for every refusal of the kernel and every fault of the store", () => {
    expect(
      [...REFUSAL_CODES, ...FAULT_CODES].filter(
        (code) => !PROBLEM_CODES.some((known) => known === code),
      ),
    ).toEqual([]);
  });
});

describe("the guard", () => {
  it("answers only to names of this machine while there is no token", async () => {
    const server = await app();
    const statusFor = async (host: string): Promise<number> =>
      (await server.inject({ url: "/readyz", headers: { host } })).statusCode;
    for (const host of ["127.0.0.1:4664", "localhost", "LOCALHOST:1", "[::1]:4664"])
      expect(await statusFor(host)).toBe(200);
    for (const host of ["evil.example", "127.0.0.1.evil.example", "10.0.0.1:4664"])
      expect(await statusFor(host)).toBe(403);
  });

  it("asks for the token everywhere but at /healthz and for the page's files", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-web-"));
    closing.push(async () => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, "index.html"), "<!doctype html><title>Holdfast</title>");
    const server = await app({ token: "s3cret", webFolder: folder });
    const statusOf = async (url: string, authorization?: string): Promise<number> =>
      (await server.inject({ url, headers: authorization === undefined ? {} : { authorization } }))
        .statusCode;

    expect(await statusOf("/healthz")).toBe(200);
    expect(await statusOf("/")).toBe(200);
    for (const url of ["/readyz", "/openapi.json", "/nowhere"]) {
      expect(await statusOf(url)).toBe(401);
      expect(await statusOf(url, "Bearer wrong")).toBe(401);
    }
    expect(await statusOf("/readyz", "Bearer s3cret")).toBe(200);
    const page = await server.inject("/");
    expect(page.headers["content-security-policy"]).toMatch("default-src 'self'");
  });
});
