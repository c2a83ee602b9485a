import { expect, it } from "vitest";
import { createClient, type Client } from "./index.ts";
import { bodyOf, openTestServer } from "./testing/test-server.ts";

const LOGIN = { state: "none", url: null, code: null, message: null, released: 0 };

it.each<[string, (client: Client) => Promise<unknown>, unknown]>([
  [
    "POST /api/providers/codex/login",
    ({ logIn }) => logIn("codex", { method: "a" }),
    { method: "a" },
  ],
  ["GET /api/providers/codex/login", ({ login }) => login("codex"), null],
  ["DELETE /api/providers/codex/login", ({ cancelLogin }) => cancelLogin("codex"), null],
  ["POST /api/providers/codex/logout", ({ logOut }) => logOut("codex"), {}],
])("sends %s", async (request, ask, body) => {
  const requests: unknown[] = [];
  const server = await openTestServer(async (incoming, response) => {
    const text = await bodyOf(incoming);
    requests.push([`${incoming.method} ${incoming.url}`, text === "" ? null : JSON.parse(text)]);
    response.end(JSON.stringify(LOGIN));
  });
  try {
    expect(await ask(createClient({ url: server.url }))).toEqual(LOGIN);
    expect(requests).toEqual([[request, body]]);
  } finally {
    await server.close();
  }
});
