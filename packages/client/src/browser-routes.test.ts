import { describe, expect, it } from "vitest";
import { createClient, type Client } from "./index.ts";
import { bodyOf, openTestServer } from "./testing/test-server.ts";

const AT = "2026-01-02T03:04:05.678Z";
const BROWSER = {
  id: "b1",
  scope: "admin",
  tokenName: null,
  userAgent: "a browser",
  createdAt: AT,
  lastUsedAt: AT,
  expiresAt: AT,
  self: true,
};

interface Route {
  readonly ask: (client: Client) => Promise<unknown>;
  readonly request: string;
  readonly body?: unknown;
  readonly reply: unknown;
}

const ROUTES: readonly Route[] = [
  {
    ask: (client) => client.signIn({ code: "once" }),
    request: "POST /api/sign-in",
    body: { code: "once" },
    reply: { key: "k" },
  },
  {
    ask: (client) => client.ownToken(),
    request: "GET /api/token",
    reply: { name: "ci", scope: "approve", sessionId: null, expiresAt: AT },
  },
  {
    ask: (client) => client.signOut(),
    request: "POST /api/sign-out",
    reply: { signedOut: 1 },
  },
  {
    ask: (client) => client.signInCode(),
    request: "POST /api/sign-in-codes",
    reply: { code: "once", expiresAt: AT },
  },
  {
    ask: ({ browsers }) => browsers.list(),
    request: "GET /api/browsers",
    reply: { browsers: [BROWSER] },
  },
  {
    ask: ({ browsers }) => browsers.signOut("b/1"),
    request: "DELETE /api/browsers/b%2F1",
    reply: { signedOut: 1 },
  },
  {
    ask: ({ browsers }) => browsers.signOutAll(),
    request: "DELETE /api/browsers",
    reply: { signedOut: 3 },
  },
];

describe("the client", () => {
  it.each(ROUTES)("asks $request and takes the reply", async ({ ask, request, body, reply }) => {
    const asked: unknown[] = [];
    const server = await openTestServer(async (incoming, response) => {
      const text = await bodyOf(incoming);
      asked.push([
        `${incoming.method} ${incoming.url}`,
        text === "" ? undefined : JSON.parse(text),
      ]);
      response.end(JSON.stringify(reply));
    });
    try {
      expect(await ask(createClient({ url: server.url }))).toEqual(reply);
      expect(asked).toEqual([[request, body]]);
    } finally {
      await server.close();
    }
  });
});
