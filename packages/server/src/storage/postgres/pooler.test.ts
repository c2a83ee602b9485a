import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.ts";
import type { Hint, Store } from "../store.ts";
import { addRepo } from "../testing/contract/shared-store.ts";
import { freePort } from "../testing/free-port.ts";
import { beginSession, opening } from "../testing/session-driver.ts";
import { openTestStore, type TestStore } from "../testing/test-database.ts";

/** Debian keeps it where only administrators look. */
const pooler =
  ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((file) => existsSync(file)) ?? null;
if (pooler === null)
  process.stderr.write(
    "PgBouncer is not installed (Debian: apt-get install pgbouncer): its tests are skipped.\n",
  );

describe.skipIf(pooler === null)("a pooler that lends connections out", () => {
  let database: TestStore;
  let folder: string;
  let bouncer: ChildProcess;
  let pooledUrl: string;
  let directUrl: string;
  const stores: Store[] = [];

  beforeEach(async () => {
    database = await openTestStore("postgres");
    if (database.location.engine !== "postgres") throw new Error("not PostgreSQL");
    directUrl = database.location.url;
    const port = await freePort();
    const url = new URL(directUrl);
    folder = mkdtempSync(path.join(tmpdir(), "holdfast-pooler-"));
    chmodSync(folder, 0o755);
    const name = url.pathname.slice(1);
    writeFileSync(path.join(folder, "users"), '"postgres" ""\n');
    writeFileSync(
      path.join(folder, "pooler.ini"),
      [
        "[databases]",
        `${name} = host=${url.hostname} port=${url.port} dbname=${name} user=postgres`,
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = trust",
        `auth_file = ${path.join(folder, "users")}`,
        "pool_mode = transaction",
        "default_pool_size = 4",
      ].join("\n"),
    );
    const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    bouncer = spawn(pooler ?? "", [path.join(folder, "pooler.ini")], {
      ...identity,
      stdio: "ignore",
    });
    await reachable(port);
    url.port = String(port);
    pooledUrl = url.href;
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    bouncer.kill("SIGKILL");
    await database.close();
    rmSync(folder, { recursive: true, force: true });
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

  it("takes everything but hints, which come by a connection of their own", async () => {
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

  it("says how to mend it where it keeps hints away, and nodes look by themselves until then", async () => {
    const { heard, troubles } = await open({ url: pooledUrl });
    await expect.poll(() => troubles.join()).toContain("HOLDFAST_DATABASE_DIRECT_URL");
    heard.length = 0;
    await expect.poll(() => heard).toContainEqual({ hint: "anything" });
  });
});

async function reachable(port: number): Promise<void> {
  await expect
    .poll(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, "127.0.0.1", () => {
            socket.destroy();
            resolve(true);
          });
          socket.on("error", () => resolve(false));
        }),
      { timeout: 10_000 },
    )
    .toBe(true);
}
