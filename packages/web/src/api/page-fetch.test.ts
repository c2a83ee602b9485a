import { describe, expect, it } from "vitest";
import { createAccessStore } from "./access.ts";
import { createPageFetch } from "./page-fetch.ts";

function setUp({ key = null, status = 200 }: { key?: string | null; status?: number } = {}) {
  const kept = new Map(key === null ? [] : [["holdfast.key", key]]);
  const access = createAccessStore({
    get: (name) => kept.get(name) ?? null,
    set: (name, value) => void (value === null ? kept.delete(name) : kept.set(name, value)),
  });
  const requests: RequestInit[] = [];
  const pageFetch = createPageFetch({
    access,
    send: async (_input, init) => {
      requests.push(init ?? {});
      return new Response(null, { status });
    },
  });
  const sentKey = (): string | null => new Headers(requests.at(-1)?.headers).get("x-holdfast-key");
  return { access, kept, pageFetch, requests, sentKey };
}

describe("a request of the page", () => {
  it("sends the browser's key, if any", async () => {
    const { access, kept, pageFetch, sentKey } = setUp();
    await pageFetch("/api/sessions");
    expect(sentKey()).toBeNull();
    access.setKey("k1");
    await pageFetch("/api/sessions", { headers: { accept: "application/json" } });
    expect(sentKey()).toBe("k1");
    expect([...kept.values()]).toEqual(["k1"]);
    access.setKey(null);
    expect([...kept.values()]).toEqual([]);
  });

  it("sends the token of a link instead, and nothing of the browser", async () => {
    const { access } = setUp({ key: "k1" });
    const requests: RequestInit[] = [];
    const pageFetch = createPageFetch({
      access,
      token: "hf_1",
      send: async (_input, init) => {
        requests.push(init ?? {});
        return new Response(null, { status: 401 });
      },
    });
    await pageFetch("/api/sessions/s1");
    expect(Object.fromEntries(new Headers(requests[0]?.headers))).toEqual({
      authorization: "Bearer hf_1",
    });
    expect([requests[0]?.credentials, access.current().refused]).toEqual(["omit", false]);
  });

  it("notices that the browser must sign in again", async () => {
    const { access, pageFetch } = setUp({ key: "old", status: 401 });
    await pageFetch("/api/sessions");
    expect(access.current()).toEqual({ key: "old", refused: true, problem: null });
    access.setKey("new");
    expect(access.current()).toEqual({ key: "new", refused: false, problem: null });
  });

  it("uses keepalive only for small writes", async () => {
    const { pageFetch, requests } = setUp();
    await pageFetch("/a");
    await pageFetch("/a", { method: "POST", body: "{}" });
    await pageFetch("/a", { method: "POST", body: "x".repeat(5_000) });
    expect(requests.map(({ keepalive }) => keepalive)).toEqual([false, true, false]);
  });
});
