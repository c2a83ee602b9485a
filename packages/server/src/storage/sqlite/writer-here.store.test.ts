import { describe, expect, it } from "vitest";
import { beginSession } from "../testing/session-driver.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { migratedFile } from "./testing/test-file.ts";

describe("a store that writes on the thread it is called on", () => {
  it("keeps every acknowledged write, in order", async () => {
    const file = await migratedFile();
    const store = await openSqliteStore({ file, clock: Date.now, ownThread: false });
    const sessions = await Promise.all(
      Array.from({ length: 20 }, (_, n) => beginSession(store, { title: `${n}` })),
    );
    await store.close();
    await expect(store.listRepos()).rejects.toMatchObject({ code: "store_closed" });

    const again = await openSqliteStore({ file, clock: Date.now, ownThread: false });
    for (const { id } of sessions) expect(await again.load(id)).toMatchObject({ found: "session" });
    await again.close();
  });

  it("writes alternately with another one, and neither loses a write", async () => {
    const file = await migratedFile();
    const stores = await Promise.all(
      [true, false].map((ownThread) => openSqliteStore({ file, clock: Date.now, ownThread })),
    );
    // One after the other: two writers on one thread can wait for each other only between writes.
    for (let n = 0; n < 20; n += 1) for (const store of stores) await beginSession(store);
    const [first] = stores;
    expect((await first?.listSessions({ limit: 100 }))?.total).toBe(40);
    await Promise.all(stores.map((store) => store.close()));
  });
});
