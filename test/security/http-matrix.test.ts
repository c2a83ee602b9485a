import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../packages/server/src/domain/scope.ts";
import { createAgentTokens } from "../../packages/server/src/http/guard/agent-token.ts";
import { openEditorDoor } from "../../packages/server/src/cli/doors/editor-door.ts";
import { buildApp } from "../../packages/server/src/http/build-app.ts";
import { type App } from "../../packages/server/src/http/app.ts";
import { openAccessTokens } from "../../packages/server/src/runtime/tokens/access-tokens.ts";
import { openBrowsers } from "../../packages/server/src/runtime/tokens/browsers.ts";
import { createSignInCodes } from "../../packages/server/src/http/guard/sign-in-codes.ts";
import { TestRuntime } from "../../packages/server/src/runtime/testing/test-runtime.ts";
import { nameOf, routesOf, type Route } from "./route-list.ts";
import { ROUTE_TABLE, type Access, type Row } from "./route-table.ts";

const UNKNOWN_ID = "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11";
const TOKEN = "the token of the server";
const EVIL = "https://evil.example";
const ALLOWED = {
  read: ["read"],
  send: ["read", "send"],
  approve: ["read", "send", "approve"],
  admin: ["read", "send", "approve", "admin"],
} as const satisfies Record<Scope, readonly Access[]>;

const agentTokens = createAgentTokens();
let webFolder: string;
let test: TestRuntime;
/** Servers without and with authentication. */
let open: App;
let closed: App;
let secrets: Readonly<Record<Scope, string>>;
/** Tokens for the session of the requests, by scope, and one for another session. */
let shared: Readonly<Record<"read" | "send", string>>;
let sharedOther: string;
let routes: readonly Route[];

beforeAll(async () => {
  webFolder = mkdtempSync(path.join(tmpdir(), "holdfast-web-"));
  mkdirSync(path.join(webFolder, "assets"));
  writeFileSync(path.join(webFolder, "index.html"), "<!doctype html><title>Holdfast</title>");
  writeFileSync(path.join(webFolder, "assets", "app.js"), "0");
  test = await TestRuntime.open();
  const tokens = openAccessTokens({ store: test.store, clock: Date.now, newId: randomUUID });
  const build = (token: string | null): Promise<App> =>
    buildApp({
      runtime: test.runtime,
      version: "1.2.3",
      startedAt: new Date(),
      token,
      tokens,
      browsers: openBrowsers({ store: test.store, tokens, clock: Date.now, newId: randomUUID }),
      signInCodes: createSignInCodes(),
      agentTokens,
      editorDoor: openEditorDoor({
        address: () => "http://127.0.0.1:1",
        dataFolder: webFolder,
        logger: { warn: () => {} },
      }),
      webFolder,
    });
  [open, closed] = await Promise.all([build(null), build(TOKEN)]);
  await Promise.all([open.ready(), closed.ready()]);
  const secretOf = async (
    scope: Scope,
    { sessionId = null }: { readonly sessionId?: string | null } = {},
  ): Promise<string> => {
    const created = await tokens.create({ name: scope, scope, sessionId, expiresInMs: null });
    if (!created.ok) throw new Error(created.refusal.message);
    return created.secret;
  };
  secrets = {
    read: await secretOf("read"),
    send: await secretOf("send"),
    approve: await secretOf("approve"),
    admin: await secretOf("admin"),
  };
  shared = {
    read: await secretOf("read", { sessionId: UNKNOWN_ID }),
    send: await secretOf("send", { sessionId: UNKNOWN_ID }),
  };
  sharedOther = await secretOf("send", { sessionId: "another" });
  routes = routesOf(closed);
});
afterAll(async () => {
  await Promise.all([open.close(), closed.close()]);
  await test.close();
  rmSync(webFolder, { recursive: true });
});

/** HEAD is GET without the body. */
function rowOf({ method, url }: Route): Row {
  const row = ROUTE_TABLE[nameOf({ method: method === "HEAD" ? "GET" : method, url })];
  if (row === undefined) throw new Error(`${method} ${url} has no row in the route table`);
  return row;
}

type Headers = Readonly<Record<string, string>>;

let requests = 0;

/** Sends a request, and returns the status and the problem code, if any. */
async function send(
  app: App,
  { method, url }: Route,
  { body, type = "application/json", ...headers }: Headers & { readonly body?: string } = {},
): Promise<readonly [status: number, code: string | null]> {
  requests += 1;
  const abort = new AbortController();
  const reply = await app.inject({
    method: method as "GET",
    url: `${url.replace(":file", "app.js").replaceAll(/:\w+/gu, UNKNOWN_ID)}${rowOf({ method, url }).query ?? ""}`,
    // From different addresses, because the number of wrong tokens per address is limited.
    remoteAddress: `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`,
    headers: {
      host: "localhost:4664",
      ...(body !== undefined && { "content-type": type }),
      ...headers,
    },
    ...(body !== undefined && { payload: body }),
    payloadAsStream: true,
    signal: abort.signal,
  });
  const stream = reply.stream().on("error", () => {});
  const isProblem = String(reply.headers["content-type"]).startsWith("application/problem+json");
  if (!isProblem || method === "HEAD") {
    abort.abort();
    return [reply.statusCode, null];
  }
  const { code, status } = JSON.parse(await readText(stream));
  expect(status).toBe(reply.statusCode);
  return [reply.statusCode, code];
}

/** The headers and body of a valid request. */
function valid({ body, type }: Row): Headers {
  if (body === undefined) return {};
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { body: text, ...(type !== undefined && { type }) };
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

function refusal(route: Route, status: number, code: string): readonly unknown[] {
  return [status, route.method === "HEAD" ? null : code];
}

/** The result of each route by its name, so that a failure shows the route. */
async function resultsOf(
  tested: readonly Route[],
  request: (route: Route, row: Row) => Promise<readonly unknown[]>,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const results: Record<string, readonly unknown[]> = {};
  for (const route of tested) results[nameOf(route)] = await request(route, rowOf(route));
  return results;
}

async function expectResults(
  tested: readonly Route[],
  request: (route: Route, row: Row) => Promise<readonly unknown[]>,
  expected: (route: Route, row: Row) => readonly unknown[],
): Promise<void> {
  expect(tested.length).toBeGreaterThan(0);
  expect(await resultsOf(tested, request)).toEqual(
    await resultsOf(tested, async (route, row) => expected(route, row)),
  );
}

describe("every route", () => {
  it("has a row in the route table, and every row has a route", () => {
    const names = routes.filter(({ method }) => method !== "HEAD").map(nameOf);
    expect(names.toSorted()).toEqual(Object.keys(ROUTE_TABLE).toSorted());
  });

  it("accepts only this machine's host names without authentication", async () => {
    await expectResults(
      routes,
      (route, row) => send(open, route, { ...valid(row), host: "evil.example" }),
      (route) => refusal(route, 403, "host_not_allowed"),
    );
  });

  it.each<[string, Headers]>([
    ["a foreign Origin", { origin: EVIL }],
    ["an Origin on another port", { origin: "http://localhost:1" }],
    ["the Origin null", { origin: "null" }],
    ["an Origin with another scheme", { origin: "https://localhost:4664" }],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
  ])("refuses %s, with and without a valid token", async (_name, headers) => {
    for (const app of [open, closed]) {
      await expectResults(
        routes,
        (route, row) => send(app, route, { ...valid(row), ...bearer(TOKEN), ...headers }),
        (route) => refusal(route, 403, "origin_not_allowed"),
      );
    }
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "that writes refuses a body sent as %s",
    async (type) => {
      await expectResults(
        routes.filter(({ method }) => method !== "GET" && method !== "HEAD"),
        (route, { access }) =>
          send(closed, route, {
            ...bearer(access === "agent" ? agentTokens.of(UNKNOWN_ID) : TOKEN),
            body: "{}",
            type,
          }),
        () => [415, "unsupported_media_type"],
      );
    },
  );

  it.each<[string, Headers]>([
    ["no token", {}],
    ["a wrong token", bearer("wrong")],
    ["an empty token", { authorization: "Bearer " }],
    ["the token without its scheme", { authorization: TOKEN }],
    ["the token in another scheme", { authorization: `Basic ${btoa(`:${TOKEN}`)}` }],
    ["the token of another session's agent", bearer(agentTokens.of("another"))],
  ])("except pages and health refuses %s", async (_name, headers) => {
    await expectResults(
      routes,
      (route, row) => send(closed, route, { ...valid(row), ...headers }),
      (route, { access, passes }) =>
        access === "public" && passes === 200
          ? [passes, null]
          : refusal(route, 401, "unauthorized"),
    );
  });

  it.each(["read", "send", "approve", "admin"] as const)(
    "allows a token with the scope %s exactly what the scope includes",
    async (scope) => {
      for (const app of [open, closed]) {
        await expectResults(
          routes,
          async (route, row) => {
            const [status, code] = await send(app, route, {
              ...valid(row),
              ...bearer(secrets[scope]),
            });
            return [status, code === "forbidden" ? code : null];
          },
          (route, { access, passes }) => {
            if (access === "public") return [passes, null];
            if (access === "agent") return [401, null];
            const allowed: readonly Access[] = ALLOWED[scope];
            return allowed.includes(access) ? [passes, null] : refusal(route, 403, "forbidden");
          },
        );
      }
    },
  );

  it("D6: allows a token for one session what its scope includes in that session, and nothing else", async () => {
    const isOfSession = ({ url }: Route): boolean =>
      url === "/api/sessions/:id" ||
      (url.startsWith("/api/sessions/:id/") && url !== "/api/sessions/:id/fork");
    const statuses = async (token: string, route: Route, row: Row): Promise<readonly unknown[]> => [
      (await send(closed, route, { ...valid(row), ...bearer(token) })).at(0),
    ];
    const expected =
      (allowed: readonly Access[]) =>
      (route: Route, { access, passes }: Row): readonly unknown[] => {
        if (access === "public") return [passes];
        if (access === "agent") return [401];
        if (route.url === "/api/token") return [passes];
        return [allowed.includes(access) && isOfSession(route) ? passes : 403];
      };
    for (const scope of ["read", "send"] as const)
      await expectResults(
        routes,
        (...each) => statuses(shared[scope], ...each),
        expected(ALLOWED[scope]),
      );
    await expectResults(routes, (...each) => statuses(sharedOther, ...each), expected([]));
  });

  it("allows the server's token everything except the routes of agents' tools", async () => {
    await expectResults(
      routes,
      async (route, row) => [
        (await send(closed, route, { ...valid(row), ...bearer(TOKEN) })).at(0),
      ],
      (_route, { access, passes }) => [access === "agent" ? 401 : passes],
    );
  });

  it("allows the token of an agent's tools only the routes of these tools", async () => {
    await expectResults(
      routes,
      async (route, row) => [
        (await send(closed, route, { ...valid(row), ...bearer(agentTokens.of(UNKNOWN_ID)) })).at(0),
      ],
      (_route, { access, passes }) => [access === "agent" || access === "public" ? passes : 401],
    );
  });

  it("is open on this machine without authentication, except the routes of agents' tools", async () => {
    await expectResults(
      routes,
      async (route, row) => [(await send(open, route, valid(row))).at(0)],
      (_route, { access, passes }) => [access === "agent" ? 401 : passes],
    );
  });
});
