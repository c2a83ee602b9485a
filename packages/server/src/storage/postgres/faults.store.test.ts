import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bothTellings } from "../migrations/testing/replay.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import type { Store } from "../store.ts";
import { openRaw, type RawDatabase } from "../testing/raw-database.ts";
import { beginSession, type SessionDriver } from "../testing/session-driver.ts";
import { createMigratedDatabase } from "../testing/test-database.ts";
import { openTcpProxy } from "../testing/tcp-proxy.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";

const toClose: (() => Promise<unknown> | void)[] = [];
const SOON = { timeout: 200_000, interval: 20 };
let url: URL;
let raw: RawDatabase;

describe("a store on PostgreSQL", () => {
  beforeEach(async () => {
    const { location, remove } = await createMigratedDatabase("postgres");
    toClose.push(remove);
    url = urlOf(location);
    raw = await openRaw(location);
    toClose.push(() => raw.close());
  });

  afterEach(async () => {
    for (const close of toClose.splice(0).toReversed()) await close();
  });

  describe("a server that cannot be reached", () => {
    it("is reported as unavailable when no process listens", async () => {
      const { port, server } = await listening(() => {});
      await closed(server);
      url.port = String(port);

      const location: DatabaseLocation = { engine: "postgres", url: url.href };
      await expectFault(openStore(location, { clock: Date.now }), "database_unavailable");
      await expectFault((await openMigrations(location)).up(), "database_unavailable");
    });

    it("is reported as unavailable when no answer comes in time", async () => {
      url.port = String((await listening(() => {})).port);
      const { db } = openPostgresConnection(url.href, { connectionTimeoutMillis: 100 });
      toClose.push(() => db.destroy());

      await expectFault(translated(sql`select 1`.execute(db)), "database_unavailable");
    });

    it("is reported as unavailable when the database or the user does not exist", async () => {
      const nowhere = new URL(url);
      nowhere.pathname = "/nowhere";
      await expectFault(
        openStore({ engine: "postgres", url: nowhere.href }, { clock: Date.now }),
        "database_unavailable",
      );
      url.username = "nobody";
      await expectFault(
        openStore({ engine: "postgres", url: url.href }, { clock: Date.now }),
        "database_unavailable",
      );
    });
  });

  describe("a server that ends connections", () => {
    it("leaves each write stored completely or not at all, and the next one gets a new connection", async () => {
      const store = await opened();
      const repoId = await addRepo(store);
      const sessions = await Promise.all(
        Array.from({ length: 10 }, () => beginSession(store, { repoId })),
      );
      const sent = await sendMany(sessions);
      await vi.waitFor(() => Promise.all(sessions.map(() => store.listRepos())), SOON);

      const faults = sent.flatMap((sending) => sending.faults);
      expect(faults.length).toBeGreaterThan(0);
      for (const fault of faults) {
        expect(fault).toMatchObject({ name: "StorageFault", code: "database_unavailable" });
      }
      for (const [index, session] of sessions.entries()) {
        const { acknowledged, failed } = sent[index] ?? NOTHING_SENT;
        const stored = (await store.readQueue(session.id)).map(({ messageId }) => messageId);
        const runs = (await store.readRuns(session.id)).map(({ messageId }) => messageId);
        expect(stored).toEqual(expect.arrayContaining(acknowledged));
        expect(stored.filter((id) => !acknowledged.includes(id) && !failed.includes(id))).toEqual(
          [],
        );
        expect(runs.toSorted()).toEqual(stored.toSorted());
        const { log, row } = await bothTellings(store, session.id);
        expect(log).toEqual(row);
        await session.send("And now?");
      }
    });

    it("does not end the process, whether a connection is in use or not", async () => {
      const { db } = openPostgresConnection(url.href);
      toClose.push(() => db.destroy());
      const store = await opened();

      const using = db.transaction().execute(async (transaction) => {
        await sql`select 1`.execute(transaction);
        await endConnections();
        await vi.waitFor(async () => expect(await backends("true")).toEqual([]), SOON);
        await sql`select 1`.execute(transaction);
      });

      await expectFault(translated(using), "database_unavailable");
      await vi.waitFor(() => store.listRepos(), SOON);
    });
  });

  describe("a row that another transaction holds", () => {
    it("fails the write as busy when the statement is cancelled, and nothing is stored", async () => {
      const store = await opened();
      const session = await beginSession(store);
      const release = await holdSession(session);
      const archiving = session.perform({ type: "archive" });
      const refused = expectFault(archiving, "database_busy");
      const pid = await blockedBackend();

      await raw.all(`select pg_cancel_backend(${pid})`);

      await refused;
      await release();
      expect(await session.stored()).toMatchObject({ version: 1 });
      await session.perform({ type: "archive" });
    });

    it("fails the write as busy when the server's lock timeout passes", async () => {
      await raw.run(`alter database "${url.pathname.slice(1)}" set lock_timeout = '50ms'`);
      const store = await opened();
      const session = await beginSession(store);
      const release = await holdSession(session);

      await expectFault(session.perform({ type: "archive" }), "database_busy");

      await release();
      await session.perform({ type: "archive" });
    });

    it("fails the write when the answer takes too long, and rolls it back", async () => {
      url.searchParams.set("query_timeout", "1000");
      const store = await opened();
      const session = await beginSession(store);
      const release = await holdSession(session);

      await expectFault(session.perform({ type: "archive" }), "database_unavailable");

      await release();
      await vi.waitFor(async () => expect(await backends("state <> 'idle'")).toEqual([]), SOON);
      expect(await session.stored()).toMatchObject({ version: 1 });
      await session.perform({ type: "archive" });
      expect(await session.stored()).toMatchObject({ version: 2 });
    });
  });

  describe("a network that goes silent", () => {
    it("fails the calls on its connections; later calls get new connections", async () => {
      const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
      toClose.push(() => proxy.close());
      url.port = String(proxy.port);
      url.searchParams.set("query_timeout", "1000");
      const store = await opened();
      const session = await beginSession(store);
      let faults = 0;
      for (let round = 0; round < 4; round += 1) {
        await quiet();
        proxy.silence();
        const title = `round ${round}`;
        faults += await faultsBefore(() => store.load(session.id));
        faults += await faultsBefore(() => session.perform({ type: "update", changes: { title } }));
        // A hint may use another connection.
        faults += await faultsBefore(() => session.stored());
        expect((await session.stored()).session.title).toBe(title);
      }
      // A connection that was being opened for a hint may have survived.
      expect(faults).toBeGreaterThanOrEqual(2);
    });
  });

  describe("a server that takes no writes", () => {
    it("is reported as read-only, and still answers reads", async () => {
      const store = await opened();
      const session = await beginSession(store);
      await raw.run(
        `alter database "${url.pathname.slice(1)}" set default_transaction_read_only = on`,
      );
      await endConnections();
      await vi.waitFor(() => store.listRepos(), SOON);

      await expectFault(session.perform({ type: "archive" }), "database_readonly");
      expect(await session.stored()).toMatchObject({ version: 1 });
    });
  });
});

describe("an error of the server", () => {
  it.each([
    ["53100", "disk_full"],
    ["53300", "database_unavailable"],
    ["57P01", "database_unavailable"],
    ["57P03", "database_unavailable"],
    ["57014", "database_busy"],
    ["40001", "database_busy"],
    ["40P01", "database_busy"],
    ["55P03", "database_busy"],
    ["25006", "database_readonly"],
    ["25P03", "database_unavailable"],
    ["08006", "database_unavailable"],
    ["28P01", "database_unavailable"],
    ["58030", "database_io"],
    ["XX000", "database_error"],
    ["XX001", "database_corrupt"],
    ["XX002", "database_corrupt"],
    ["23503", "constraint_broken"],
    ["42P01", "database_error"],
    ["ECONNREFUSED", "database_unavailable"],
    ["ENETUNREACH", "database_unavailable"],
    ["EAI_AGAIN", "database_unavailable"],
  ])("%s is a fault: %s", (code, fault) => {
    const error = Object.assign(new Error("it failed"), { code });
    expect(faultFromPostgres(error)).toMatchObject({
      name: "StorageFault",
      code: fault,
      cause: error,
    });
  });

  it("that is a bug of ours stays unchanged", () => {
    const bug = new TypeError("undefined is not a function");
    expect(faultFromPostgres(bug)).toBe(bug);
  });
});

function urlOf(location: DatabaseLocation): URL {
  if (location.engine !== "postgres") throw new Error("unreachable: asked for PostgreSQL");
  return new URL(location.url);
}

async function opened(): Promise<Store> {
  const store = await openStore({ engine: "postgres", url: url.href }, { clock: Date.now });
  toClose.push(() => store.close());
  return store;
}

async function addRepo(store: Store): Promise<string> {
  const { id } = await store.addRepo({ id: "r", path: "/srv/r", name: "r", createdAt: 1 });
  return id;
}

/** Writes to all sessions at once, while the server keeps ending all connections. */
async function sendMany(sessions: readonly SessionDriver[]): Promise<readonly Sending[]> {
  let ending = Promise.resolve();
  let count = 0;
  const sendTo = async (session: SessionDriver): Promise<Sending> => {
    const sending: Sending = { acknowledged: [], failed: [], faults: [] };
    for (let turn = 0; turn < 20; turn += 1) {
      count += 1;
      if (count % 25 === 0) ending = ending.then(endConnections);
      const messageId = randomUUID();
      try {
        await session.send("Hello", { messageId });
        sending.acknowledged.push(messageId);
      } catch (error) {
        sending.failed.push(messageId);
        sending.faults.push(error);
      }
    }
    return sending;
  };
  const sent = await Promise.all(sessions.map(sendTo));
  await ending;
  return sent;
}

const NOTHING_SENT: Sending = { acknowledged: [], failed: [], faults: [] };

interface Sending {
  readonly acknowledged: string[];
  readonly failed: string[];
  readonly faults: unknown[];
}

async function endConnections(): Promise<void> {
  await raw.all(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'holdfast'`);
}

async function backends(condition: string): Promise<readonly unknown[]> {
  const rows = await raw.all(`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'holdfast' and ${condition}`);
  return rows.map(({ pid }) => pid);
}

async function blockedBackend(): Promise<number> {
  return vi.waitFor(async () => {
    const [pid] = await backends("wait_event_type = 'Lock'");
    expect(pid).toBeTypeOf("number");
    return Number(pid);
  }, SOON);
}

async function holdSession({ id }: SessionDriver): Promise<() => Promise<void>> {
  const other = await openRaw({ engine: "postgres", url: url.href });
  await other.run(`begin; select 1 from "AgentSession" where "id" = '${id}' for update`);
  let held = true;
  const release = async (): Promise<void> => {
    if (held) await other.close();
    held = false;
  };
  toClose.push(release);
  return release;
}

/** Waits until the hint after the last write was sent. */
async function quiet(): Promise<void> {
  await vi.waitFor(async () => expect(await backends("state <> 'idle'")).toEqual([]), SOON);
}

/** Number of failed calls, at most the number of connections of calls and hints. */
async function faultsBefore(call: () => Promise<unknown>): Promise<number> {
  for (let faults = 0; faults < 4; faults += 1) {
    try {
      await call();
      return faults;
    } catch (error) {
      await expectFault(Promise.reject(error), "database_unavailable");
    }
  }
  await call();
  return 4;
}

async function translated(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    throw faultFromPostgres(error);
  }
}

async function expectFault(promise: Promise<unknown>, code: string): Promise<void> {
  await expect(promise).rejects.toMatchObject({ name: "StorageFault", code });
}

async function listening(
  serve: (socket: Socket) => void,
): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  toClose.push(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await closed(server);
  });
  const { port } = server.address() as AddressInfo;
  return { port, server };
}

async function closed(server: Server): Promise<void> {
  const done = once(server, "close");
  server.close();
  await done;
}
