import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import type { Hint } from "../ports/node-store.ts";
import { addRepo } from "../testing/contract/shared-store.ts";
import { startPooler, type Pooler } from "../testing/pooler.ts";
import { beginSession, opening } from "../testing/session-driver.ts";
import { openTestStore, type TestStore } from "../testing/test-database.ts";

describe("a connection pooler", () => {
  let database: TestStore;
  let pooler: Pooler;
  let pooledUrl: string;
  let directUrl: string;
  const stores: Store[] = [];

  beforeEach(async () => {
    database = await openTestStore("postgres");
    if (database.location.engine !== "postgres") throw new Error("not PostgreSQL");
    directUrl = database.location.url;
    pooler = await startPooler(directUrl);
    pooledUrl = pooler.url;
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await pooler.stop();
    await database.close();
  });

  async function open(location: { url: string; directUrl?: string }) {
    const heard: Hint[] = [];
    const troubles: string[] = [];
    const store = await openStore(
      { engine: "postgres", ...location },
      { clock: Date.now, onTrouble: (problem) => troubles.push(problem) },
    );
    stores.push(store);
    store.onOutsideWrites((hint) => heard.push(hint));
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    heard.length = 0;
    return { store, heard, troubles };
  }

  it("serves everything except hints, which use a separate connection", async () => {
    const [a, b] = [
      await open({ url: pooledUrl, directUrl }),
      await open({ url: pooledUrl, directUrl }),
    ];
    await a.store.renewLease({ node: "a", ttlMs: 60_000, about: {} });
    const { id: repoId } = await addRepo(a.store);
    const sessions = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const session = await beginSession(a.store, { repoId });
        const sent = await session.run();
        await session.claim("a");
        expect((await session.put(sent, opening(`said-${session.id}`))).ok).toBe(true);
        return session.id;
      }),
    );
    expect((await b.store.listSessions({ limit: 20 })).total).toBe(12);
    const [sessionId = ""] = sessions;
    await expect.poll(() => b.heard).toContainEqual({ hint: "output", sessionId });
    expect([...a.troubles, ...b.troubles]).toEqual([]);
  });

  it("loses and repeats nothing, whether or not it knows prepared statements", async () => {
    const [{ store: a }, { store: b }] = [
      await open({ url: pooledUrl, directUrl }),
      await open({ url: pooledUrl, directUrl }),
    ];
    const { id: repoId } = await addRepo(a);
    const pieces = Array.from({ length: 12 }, (_, index) => `<${index}>`);
    const write = async (store: Store): Promise<unknown> => {
      const session = await beginSession(store, { repoId });
      const sent = await session.run();
      await session.claim("a");
      const messageId = `said-${session.id}`;
      await session.put(sent, opening(messageId));
      for (const text of pieces)
        expect((await session.put(sent, { put: "text", messageId, text })).ok).toBe(true);
      await session.end(sent);
      return (await session.messages()).at(-1)?.content["text"];
    };
    const texts = await Promise.all(Array.from({ length: 6 }, (_, n) => write(n % 2 ? a : b)));
    expect(texts).toEqual(texts.map(() => pieces.join("")));
  });

  it("is reported with a remedy when it blocks hints, and nodes poll meanwhile", async () => {
    const { heard, troubles } = await open({ url: pooledUrl });
    await expect.poll(() => troubles.join()).toContain("HOLDFAST_DATABASE_DIRECT_URL");
    heard.length = 0;
    await expect.poll(() => heard).toContainEqual({ hint: "anything" });
  });
});
