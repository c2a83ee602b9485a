import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAccessTokens, type AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import { openBrowsers } from "../../runtime/tokens/browsers.ts";
import { refuse } from "../../runtime/reply.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import type { App } from "../app.ts";
import { createSignInCodes, type SignInCodes } from "../guard/sign-in-codes.ts";
import { RawClient } from "../testing/raw-client.ts";
import { listen, testApp } from "../testing/test-app.ts";

const TOKEN = "the server's token";
const HOST = "localhost:4664";
const ORIGIN = `http://${HOST}`;

let database: TestStore;
let codes: SignInCodes;
let tokens: AccessTokens;
let answered: unknown[];
let now: number;
beforeAll(async () => {
  database = await openTestStore("sqlite");
});
afterAll(() => database.close());
beforeEach(() => {
  now = Date.now();
  codes = createSignInCodes({ clock: () => now });
  answered = [];
});
afterEach(async () => {
  await database.store.removeBrowsers({ id: null });
});

function open(): Promise<App> {
  const { store } = database;
  tokens = openAccessTokens({ store, clock: () => now, newId: randomUUID });
  return testApp({
    token: TOKEN,
    tokens,
    browsers: openBrowsers({ store, tokens, clock: () => now, newId: randomUUID }),
    signInCodes: codes,
    runtime: {
      listSuspensions: async () => [],
      openGlobalFeed: () => ({ resume: () => {}, close: () => {} }),
      answer: async ({ by }) => {
        answered.push(by);
        return refuse("session_not_found", "There is no such session.");
      },
    },
  });
}

type Headers = Readonly<Record<string, string>>;

const signIn = (app: App, payload: object, headers: Headers = {}) =>
  app.inject({
    method: "POST",
    url: "/api/sign-in",
    payload,
    headers: { host: HOST, origin: ORIGIN, "user-agent": "a browser", ...headers },
  });

/** The headers of a browser that has signed in. */
async function signedIn(app: App, payload: object = { code: codes.create().code }) {
  const reply = await signIn(app, payload);
  expect(reply.statusCode).toBe(200);
  const cookie = String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "";
  return { host: HOST, origin: ORIGIN, cookie, "x-holdfast-key": String(reply.json().key) };
}

const statusOf = async (
  app: App,
  headers: Headers,
  request: { readonly method?: "GET" | "POST" | "DELETE"; readonly url?: string } = {},
): Promise<number> =>
  (await app.inject({ url: "/api/suspensions", ...request, headers })).statusCode;

const ANSWER = {
  method: "POST",
  url: "/api/sessions/s1/resume",
  payload: { suspensionId: "q1", answer: "allow" },
} as const;

describe("a browser", () => {
  it("signs in with a code once, and gets a cookie that scripts and other sites cannot use", async () => {
    const app = await open();
    const { code } = codes.create();
    const reply = await signIn(app, { code });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers["set-cookie"]).toMatch(
      /^holdfast_4664=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/u,
    );
    const again = await signIn(app, { code });
    expect([again.statusCode, again.json().detail]).toEqual([
      401,
      "This sign-in address has been used already. Get a new address with: holdfast open",
    ]);
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  it("is told that a code is too old or unknown; wrong codes are limited like wrong tokens", async () => {
    const app = await open();
    const { code } = codes.create();
    now += 10 * 60_000;
    expect((await signIn(app, { code })).json().detail).toMatch(/too old/u);
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      statuses.push((await signIn(app, { code: `guess ${tries}` })).statusCode);
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 401), 429, 429]);
    expect((await signIn(app, { code: codes.create().code })).statusCode).toBe(200);
    for (const payload of [{}, { code: "" }, { code: "a", token: "b" }])
      expect((await signIn(app, payload)).statusCode).toBe(400);
  });

  it("needs both its cookie and its key, which is nothing for servers on other ports", async () => {
    const app = await open();
    const browser = await signedIn(app);
    expect(await statusOf(app, browser)).toBe(200);
    const { cookie, "x-holdfast-key": key, ...rest } = browser;
    expect(await statusOf(app, { ...rest, cookie })).toBe(401);
    expect(await statusOf(app, { ...rest, "x-holdfast-key": key })).toBe(401);
    const other = await signedIn(app);
    expect(await statusOf(app, { ...other, cookie })).toBe(401);
    expect(
      await statusOf(app, { ...browser, host: "localhost:1", origin: "http://localhost:1" }),
    ).toBe(401);
  });

  it("must send the origin of its page with a write", async () => {
    const app = await open();
    const { origin, ...browser } = await signedIn(app);
    const write = async (headers: Headers): Promise<number> =>
      (await app.inject({ ...ANSWER, headers: { ...browser, ...headers } })).statusCode;
    expect(await write({})).toBe(403);
    expect(await write({ "sec-fetch-site": "none" })).toBe(403);
    expect(await write({ origin: "http://localhost:3000" })).toBe(403);
    expect(answered).toEqual([]);
    expect(await write({ origin })).toBe(404);
    expect(await write({ "sec-fetch-site": "same-origin" })).toBe(404);
    expect(answered).toEqual(["browser", "browser"]);
  });

  it("gets a cookie only for TLS where a proxy offers it", async () => {
    const app = await open();
    const { code } = codes.create();
    const headers = {
      host: "holdfast.example",
      origin: "https://holdfast.example",
      "x-forwarded-proto": "https",
    };
    expect((await signIn(app, { code }, headers)).headers["set-cookie"]).toMatch(
      /^holdfast=[\w-]{43}; .*; Secure$/u,
    );
  });

  it("signs in with a token, whose scope and name it keeps, and is signed out when that is revoked", async () => {
    const app = await open();
    expect((await signIn(app, { token: "wrong" })).statusCode).toBe(401);
    const admin = await signedIn(app, { token: TOKEN });
    expect(await statusOf(app, admin, { url: "/api/browsers" })).toBe(200);
    const created = await tokens.create({
      name: "ada",
      scope: "approve",
      sessionId: null,
      expiresInMs: null,
    });
    if (!created.ok) throw new Error("refused");
    const hers = await signedIn(app, { token: created.secret });
    expect((await app.inject({ url: "/api/token", headers: hers })).json()).toEqual({
      name: "ada",
      scope: "approve",
      sessionId: null,
      expiresAt: new Date(now + 400 * 24 * 60 * 60_000).toISOString(),
    });
    await app.inject({ ...ANSWER, headers: hers });
    expect(answered).toEqual(["token: ada"]);
    expect(await statusOf(app, hers, { url: "/api/browsers" })).toBe(403);
    await tokens.revoke(created.token.id);
    expect(await statusOf(app, hers)).toBe(401);
    expect(await statusOf(app, admin)).toBe(200);
  });

  it("does not sign in with a token for one session", async () => {
    const link = { name: "link", scope: "read", sessionId: "s1", expiresInMs: null } as const;
    const created = await tokens.create(link);
    if (!created.ok) throw new Error("refused");
    const reply = await signIn(await open(), { token: created.secret });
    expect([reply.statusCode, reply.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  it("stays signed in over a restart, for 400 days", async () => {
    const browser = await signedIn(await open());
    const restarted = await open();
    now += 400 * 24 * 60 * 60_000 - 1;
    expect(await statusOf(restarted, browser)).toBe(200);
    now += 1;
    expect(await statusOf(restarted, browser)).toBe(401);
  });

  it("signs out, alone or everywhere, which ends its streams", async () => {
    const app = await open();
    const port = await listen(app);
    const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` };
    const reply = await signIn(app, { code: codes.create().code }, own);
    const cookie = String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "";
    const here = { ...own, cookie, "x-holdfast-key": String(reply.json().key) };
    const [second, third] = [await signedIn(app), await signedIn(app)];
    const list = await app.inject({ url: "/api/browsers", headers: here });
    const selves = list.json().browsers.map(({ self }: { self: boolean }) => self);
    expect(selves.toSorted()).toEqual([false, false, true]);
    const stream = new RawClient(port, "/api/events", here);
    await stream.until("text/event-stream");
    const out = await app.inject({ method: "POST", url: "/api/sign-out", headers: here });
    expect(out.json()).toEqual({ signedOut: 1 });
    expect(out.headers["set-cookie"]).toMatch(/^holdfast_\d+=; Path=\/; Max-Age=0; /u);
    await stream.closed;
    expect(await statusOf(app, here)).toBe(401);
    expect(await statusOf(app, second)).toBe(200);
    expect(await statusOf(app, second, { method: "DELETE", url: "/api/browsers" })).toBe(200);
    expect([await statusOf(app, second), await statusOf(app, third)]).toEqual([401, 401]);
  });

  it("gets new secrets when it signs in again, and the old ones end", async () => {
    const app = await open();
    const before = await signedIn(app);
    const reply = await signIn(app, { code: codes.create().code }, before);
    expect(reply.statusCode).toBe(200);
    expect(await statusOf(app, before)).toBe(401);
  });
});

describe("a code", () => {
  it("is made for an admin only", async () => {
    const app = await open();
    const make = (token: string) =>
      app.inject({
        method: "POST",
        url: "/api/sign-in-codes",
        headers: { authorization: `Bearer ${token}` },
      });
    const made = await make(TOKEN);
    expect([made.statusCode, codes.redeem(made.json().code)]).toEqual([201, "good"]);
    const sender = await tokens.create({
      name: "s",
      scope: "send",
      sessionId: null,
      expiresInMs: null,
    });
    expect((await make(sender.ok ? sender.secret : "")).statusCode).toBe(403);
  });
});
