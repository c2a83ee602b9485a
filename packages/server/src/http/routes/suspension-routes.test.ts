import { afterEach, expect, it } from "vitest";
import type { PermissionGrant } from "../../runtime/runtime.ts";
import { buildApp } from "../build-app.ts";
import { type App } from "../app.ts";
import { runtimeWith } from "../testing/runtime-stub.ts";

let app: App;
afterEach(() => app.close());

const GRANT: PermissionGrant = {
  id: "g1",
  decision: "allow",
  scope: "session",
  title: "Write a.txt",
  kind: "edit",
  paths: ["a.txt"],
  command: null,
  folder: null,
  fingerprint: "f",
  by: "anyone (no authentication)",
  at: Date.UTC(2026, 0, 2),
};

it("grants are listed without internal fields, and revoked one by one", async () => {
  const revoked: unknown[] = [];
  app = await buildApp({
    runtime: runtimeWith({
      listGrants: async () => ({ ok: true, grants: [GRANT] }),
      revokeGrant: async (request) => {
        revoked.push(request);
        return request.grantId === "g1"
          ? { ok: true, grants: [] }
          : {
              ok: false,
              refusal: { code: "grant_not_found", message: "None.", status: null, state: null },
            };
      },
    }),
    version: "1",
    startedAt: new Date(0),
    token: null,
    webFolder: null,
  });
  const call = async (method: "GET" | "DELETE", url: string, headers = {}) => {
    const response = await app.inject({ method, url, headers: { host: "localhost", ...headers } });
    return { status: response.statusCode, body: response.json<object>() };
  };
  const { fingerprint: _, folder: __, ...shown } = GRANT;
  expect(await call("GET", "/api/sessions/s1/grants")).toEqual({
    status: 200,
    body: { grants: [{ ...shown, at: "2026-01-02T00:00:00.000Z" }] },
  });
  expect(await call("DELETE", "/api/sessions/s1/grants/g1", { "if-match": '"3"' })).toEqual({
    status: 200,
    body: { grants: [] },
  });
  expect(await call("DELETE", "/api/sessions/s1/grants/g2")).toMatchObject({
    status: 404,
    body: { code: "grant_not_found" },
  });
  expect(revoked).toEqual([
    { sessionId: "s1", grantId: "g1", version: 3 },
    { sessionId: "s1", grantId: "g2" },
  ]);
});
