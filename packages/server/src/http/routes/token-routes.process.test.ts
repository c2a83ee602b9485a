import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openAccessTokens } from "../../runtime/tokens/access-tokens.ts";
import { refuse } from "../../runtime/reply.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import type { App } from "../app.ts";
import { RawClient } from "../testing/raw-client.ts";
import { READY } from "../testing/samples.ts";
import { listen, testApp } from "../testing/test-app.ts";

let database: TestStore;
beforeAll(async () => {
  database = await openTestStore("sqlite");
});
afterAll(() => database.close());
afterEach(async () => {
  const { store } = database;
  for (const { id } of await store.listTokens()) await store.revokeToken({ id, at: 0 });
  await store.forgetTokens({ before: Number.MAX_SAFE_INTEGER });
});

const open = (token: string | null = null, runtime: Partial<Runtime> = {}): Promise<App> =>
  testApp({
    token,
    tokens: openAccessTokens({
      store: database.store,
      clock: Date.now,
      newId: randomUUID,
    }),
    runtime: {
      readiness: async () => READY,
      listSuspensions: async () => [],
      openGlobalFeed: () => ({ resume: () => {}, close: () => {} }),
      ...runtime,
    },
  });

interface TestRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly url?: string;
  readonly token?: string;
  readonly payload?: object;
  readonly from?: string;
}

const ask = (app: App, { token, from, url = "/api/suspensions", ...rest }: TestRequest) =>
  app.inject({
    url,
    ...rest,
    ...(from !== undefined && { remoteAddress: from }),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

async function create(app: App, payload: object, token?: string) {
  const reply = await ask(app, {
    method: "POST",
    url: "/api/tokens",
    payload,
    ...(token !== undefined && { token }),
  });
  return reply.json();
}

describe("tokens over HTTP", () => {
  it("need the scope admin for MCP servers and directories of a session (D3)", async () => {
    const app = await open("the server's", {
      createSession: async () => refuse("repository_not_found", "There is no such repository."),
      updateSession: async () => refuse("session_not_found", "There is no such session."),
    });
    const status = async (token: string, payload: object): Promise<readonly number[]> => {
      const headers = { authorization: `Bearer ${token}` };
      const [created, updated] = await Promise.all([
        app.inject({ method: "POST", url: "/api/sessions", payload, headers }),
        app.inject({ method: "PATCH", url: "/api/sessions/s1", payload, headers }),
      ]);
      return [created.statusCode, updated.statusCode];
    };
    const { token: sender } = await create(app, { name: "a", scope: "send" }, "the server's");
    const { token: admin } = await create(app, { name: "b", scope: "admin" }, "the server's");
    for (const payload of [{ mcpServers: { a: { command: "b" } } }, { directories: ["docs"] }]) {
      expect(await status(sender, payload)).toEqual([403, 403]);
      expect(await status(admin, payload)).toEqual([404, 404]);
      expect(await status("the server's", payload)).toEqual([404, 404]);
    }
    expect(await status(sender, { mcpServers: {}, directories: [] })).toEqual([404, 404]);
  });

  it("name the author of an answer", async () => {
    const answered: unknown[] = [];
    const app = await open("the server's", {
      answer: async ({ by }) => {
        answered.push(by);
        return refuse("session_not_found", "There is no such session.");
      },
    });
    const { token: hers } = await create(app, { name: "ada", scope: "approve" }, "the server's");
    for (const token of [hers, "the server's"]) {
      await ask(app, {
        method: "POST",
        url: "/api/sessions/s1/resume",
        payload: { suspensionId: "q1", answer: "allow" },
        token,
      });
    }
    expect(answered).toEqual(["token: ada", "server token"]);
  });

  it("D6: show the caller what it may do", async () => {
    const own = async (app: App, token?: string) =>
      (await ask(app, { url: "/api/token", ...(token !== undefined && { token }) })).json();
    const all = { name: null, scope: "admin", sessionId: null, expiresAt: null };
    const app = await open("the server's");
    expect(await own(app, "the server's")).toEqual(all);
    expect(await own(await open())).toEqual(all);
    const approver = await create(
      app,
      { name: "editor", scope: "approve", expiresInDays: 1 },
      "the server's",
    );
    expect(await own(app, approver.token)).toEqual({
      name: "editor",
      scope: "approve",
      sessionId: null,
      expiresAt: approver.expiresAt,
    });
    const link = await create(
      app,
      { name: "link", scope: "read", sessionId: "s1" },
      "the server's",
    );
    expect(await own(app, link.token)).toEqual({
      name: "link",
      scope: "read",
      sessionId: "s1",
      expiresAt: null,
    });
    expect(await own(app)).toMatchObject({ code: "unauthorized" });
  });

  it("are created, listed without their secrets, and revoked", async () => {
    const app = await open("the server's");
    const made = await create(app, { name: "ci", scope: "read", expiresInDays: 1 }, "the server's");
    const { token, ...listed } = made;
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(86_400_000);
    const list = async () =>
      (await ask(app, { url: "/api/tokens", token: "the server's" })).json().tokens;
    expect(await list()).toEqual([listed]);
    expect((await ask(app, { token })).statusCode).toBe(200);
    const revoke = { method: "DELETE", url: `/api/tokens/${made.id}` } as const;
    expect((await ask(app, { ...revoke, token })).json()).toMatchObject({
      status: 403,
      code: "forbidden",
      detail: "This request needs a token with the scope admin. The scope of this token is read.",
    });
    const revoked = (await ask(app, { ...revoke, token: "the server's" })).json();
    expect(revoked).toEqual({
      ...listed,
      lastUsedAt: revoked.lastUsedAt,
      revokedAt: revoked.revokedAt,
    });
    expect((await ask(app, { token })).statusCode).toBe(401);
  });

  it.each([
    [{ name: "", scope: "read" }, "name"],
    [{ name: "x", scope: "root" }, "scope"],
    [{ name: "x", scope: "read", expiresInDays: 0 }, "expiresInDays"],
    [{ name: "x", scope: "read", expiresInDays: 1e9 }, "expiresInDays"],
    [{ name: "x", scope: "read", token: "mine" }, "token"],
    [{ name: "x", scope: "approve", sessionId: "s1" }, "scope"],
  ])("are not created from %j", async (payload, field) => {
    expect(await create(await open(), payload)).toMatchObject({
      code: "invalid_request",
      errors: [{ field }],
    });
  });

  it("do nothing on a server without authentication, except that their scope and name count", async () => {
    const app = await open();
    const { token } = await create(app, { name: "board", scope: "read" });
    expect((await ask(app, {})).statusCode).toBe(200);
    expect((await ask(app, { token })).statusCode).toBe(200);
    expect((await ask(app, { url: "/api/tokens", token })).statusCode).toBe(403);
  });

  it("end only their own streams when they are revoked", async () => {
    const app = await open("the server's");
    const port = await listen(app);
    const mine = await create(app, { name: "a", scope: "read" }, "the server's");
    const other = await create(app, { name: "b", scope: "read" }, "the server's");
    const stream = async (token: string): Promise<RawClient> => {
      const client = new RawClient(port, "/api/events", { authorization: `Bearer ${token}` });
      await client.until("text/event-stream");
      return client;
    };
    const [revoked, valid, own] = await Promise.all([
      stream(mine.token),
      stream(other.token),
      stream("the server's"),
    ]);
    await ask(app, { method: "DELETE", url: `/api/tokens/${mine.id}`, token: "the server's" });
    await revoked.closed;
    expect([valid.socket.closed, own.socket.closed]).toEqual([false, false]);
  });
});

describe("wrong tokens", () => {
  it("get 401 ten times a minute, then 429; a valid token always works", async () => {
    const app = await open("right");
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1)
      statuses.push((await ask(app, { token: `wrong ${tries}` })).statusCode);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const refused = await ask(app, { token: "wrong" });
    expect([refused.headers["retry-after"], refused.json().code]).toEqual([
      "60",
      "too_many_attempts",
    ]);
    expect((await ask(app, { token: "right" })).statusCode).toBe(200);
    expect((await ask(app, {})).statusCode).toBe(401);
    expect((await ask(app, { url: "/healthz", token: "wrong" })).statusCode).toBe(200);
    expect((await ask(app, { token: "wrong", from: "10.0.0.9" })).statusCode).toBe(401);
    const { token } = await create(app, { name: "made", scope: "read" }, "right");
    expect((await ask(app, { token })).statusCode).toBe(200);
  });
});
