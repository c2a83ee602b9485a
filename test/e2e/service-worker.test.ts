import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { root } from "../architecture/read-sources.ts";

const ORIGIN = "http://127.0.0.1:4664";
const webFolder = path.join(root, "packages/server/dist/web");
const script = readFileSync(path.join(webFolder, "sw.js"), "utf8");

type Caches = Map<string, Map<string, string>>;

interface WorkerEvent {
  readonly request?: { readonly method: string; readonly mode: string; readonly url: string };
  waitUntil?(work: Promise<unknown>): void;
  respondWith?(response: Promise<unknown>): void;
}

/** The built worker with caches in memory. Every file of the page that it fetches is one of the build. */
function startWorker(caches: Caches, code = script) {
  const listeners = new Map<string, (event: WorkerEvent) => void>();
  const open = (name: string) => {
    const entries = caches.get(name) ?? new Map<string, string>();
    caches.set(name, entries);
    return {
      addAll: async (requests: readonly { readonly url: string }[]) => {
        for (const { url } of requests)
          entries.set(url, readFileSync(path.join(webFolder, url), "base64"));
      },
      match: async (url: string) => entries.get(url),
    };
  };
  runInNewContext(code, {
    addEventListener: (type: string, listener: (event: WorkerEvent) => void) =>
      listeners.set(type, listener),
    caches: {
      open: async (name: string) => open(name),
      keys: async () => [...caches.keys()],
      delete: async (name: string) => caches.delete(name),
    },
    clients: { claim: async () => {} },
    fetch: async () => "from the network",
    location: { origin: ORIGIN },
    skipWaiting: () => {},
    Request: class {
      readonly url: string;
      constructor(url: string) {
        this.url = url;
      }
    },
    URL,
  });
  const wait = async (type: string): Promise<void> => {
    const work: Promise<unknown>[] = [];
    listeners.get(type)?.({ waitUntil: (each) => void work.push(each) });
    await Promise.all(work);
  };
  return {
    install: () => wait("install"),
    activate: () => wait("activate"),
    /** Undefined if the worker leaves the request to the browser. */
    async get(address: string, { mode = "no-cors", method = "GET" } = {}) {
      let response: Promise<unknown> | undefined;
      const url = new URL(address, ORIGIN).href;
      listeners.get("fetch")?.({
        request: { method, mode, url },
        respondWith: (each) => {
          response = each;
        },
      });
      return response;
    },
  };
}

const fileOf = (name: string): string => readFileSync(path.join(webFolder, name), "base64");

describe("the built service worker", () => {
  it("caches the page, its entry and its styles, and no later chunks", async () => {
    const caches: Caches = new Map();
    await startWorker(caches).install();
    const cached = [...caches.values()].flatMap((entries) => [...entries.keys()]);
    const page = readFileSync(path.join(webFolder, "index.html"), "utf8");
    const needed = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/gu)].map(([, url]) => url);
    expect(needed.length).toBeGreaterThan(1);
    expect(cached).toEqual(expect.arrayContaining(["/index.html", "/before.js", ...needed]));
    expect(cached.filter((url) => !existsSync(path.join(webFolder, url)))).toEqual([]);
    expect(cached.length).toBeLessThan(100);
  });

  it("opens every page from the cache and leaves the paths of the server alone", async () => {
    const worker = startWorker(new Map());
    await worker.install();
    const mode = "navigate";
    expect(await worker.get("/", { mode })).toBe(fileOf("index.html"));
    expect(await worker.get("/sessions/x?q=1", { mode })).toBe(fileOf("index.html"));
    expect(await worker.get("/apiary", { mode })).toBe(fileOf("index.html"));
    expect(await worker.get("/favicon.svg")).toBe(fileOf("favicon.svg"));
    for (const address of ["/api", "/api/sessions", "/docs", "/docs/x", "/healthz", "/metrics"])
      expect(await worker.get(address, { mode })).toBeUndefined();
    expect(await worker.get("/api/sessions")).toBeUndefined();
    expect(await worker.get("/assets/unknown.js")).toBeUndefined();
    expect(await worker.get("/", { method: "POST", mode })).toBeUndefined();
    expect(await worker.get("http://example.org/favicon.svg")).toBeUndefined();
  });

  it("asks the server if the browser has deleted the cache", async () => {
    const caches: Caches = new Map();
    const worker = startWorker(caches);
    await worker.install();
    caches.clear();
    expect(await worker.get("/", { mode: "navigate" })).toBe("from the network");
  });

  it("replaces the caches of older builds and of the worker before it, and no others", async () => {
    const caches: Caches = new Map([
      [`workbox-precache-v2-${ORIGIN}/`, new Map()],
      ["of somebody else", new Map()],
    ]);
    const older = startWorker(caches);
    await older.install();
    await older.activate();
    const before = [...caches.keys()];
    expect(before).toEqual(["of somebody else", expect.stringMatching(/^holdfast-page-/u)]);
    const changed = script.replace(/(?<="url":"index\.html","revision":")[^"]+/u, "another");
    const newer = startWorker(caches, changed);
    await newer.install();
    await newer.activate();
    expect(caches.size).toBe(2);
    expect([...caches.keys()]).not.toEqual(before);
  });
});
