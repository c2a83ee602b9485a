import { describe, expect, it } from "vitest";
import { createAccessStore } from "./access.ts";
import { createPageFetch } from "./page-fetch.ts";

function setUp({ token = null, status = 200 }: { token?: string | null; status?: number } = {}) {
  const kept = new Map(token === null ? [] : [["holdfast.token", token]]);
  const access = createAccessStore({
    get: (key) => kept.get(key) ?? null,
    set: (key, value) => void (value === null ? kept.delete(key) : kept.set(key, value)),
  });
  const requests: RequestInit[] = [];
  const pageFetch = createPageFetch({
    access,
    send: async (_input, init) => {
      requests.push(init ?? {});
      return new Response(null, { status });
    },
  });
  const authorization = (): string | null =>
    new Headers(requests.at(-1)?.headers).get("authorization");
  return { access, kept, pageFetch, requests, authorization };
}

describe("a request of the page", () => {
  it("sends the stored token, if any", async () => {
    const { access, kept, pageFetch, authorization } = setUp();
    await pageFetch("/api/sessions");
    expect(authorization()).toBeNull();
    access.setToken("secret");
    await pageFetch("/api/sessions", { headers: { accept: "application/json" } });
    expect(authorization()).toBe("Bearer secret");
    expect([...kept.values()]).toEqual(["secret"]);
    access.setToken(null);
    expect([...kept.values()]).toEqual([]);
  });

  it("notices a rejected token", async () => {
    const { access, pageFetch } = setUp({ token: "old", status: 401 });
    await pageFetch("/api/sessions");
    expect(access.current()).toEqual({ token: "old", refused: true });
    access.setToken("new");
    expect(access.current()).toEqual({ token: "new", refused: false });
  });

  it("uses keepalive only for small writes", async () => {
    const { pageFetch, requests } = setUp();
    await pageFetch("/a");
    await pageFetch("/a", { method: "POST", body: "{}" });
    await pageFetch("/a", { method: "POST", body: "x".repeat(5_000) });
    expect(requests.map(({ keepalive }) => keepalive)).toEqual([false, true, false]);
  });
});
