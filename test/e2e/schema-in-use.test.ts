import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDatabase } from "../../packages/server/src/cli/settings/settings.ts";
import { openRaw } from "../../packages/server/src/storage/testing/raw-database.ts";
import {
  createTestDatabase,
  type Engine,
  type TestDatabase,
} from "../../packages/server/src/storage/testing/test-database.ts";
import {
  holdfast,
  readServerFile,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type ProcessResult,
  type RunningServer,
} from "./holdfast-process.ts";

/** No lease expires by itself, however slow the machine is. */
const LEASE_MS = 600_000;
let folder: string;
const running: RunningServer[] = [];
const databases: TestDatabase[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end("SIGTERM");
  for (const database of databases.splice(0)) await database.remove();
  removeFolder(folder);
});

async function newDatabase(engine: Engine): Promise<string> {
  const database = await createTestDatabase(engine);
  databases.push(database);
  return database.location.engine === "postgres" ? database.location.url : database.location.file;
}

async function serve(name: string, args: readonly string[] = []): Promise<RunningServer> {
  const server = await startHoldfast({
    data: path.join(folder, name),
    args,
    env: {
      AGENT_WORKSPACE_ROOT: folder,
      HOLDFAST_NODE_NAME: name,
      HOLDFAST_LEASE_MS: String(LEASE_MS),
    },
  });
  running.push(server);
  return server;
}

/** Runs a command that shares nothing with the servers but the database. */
function db(
  command: string,
  database: string,
  ...options: readonly string[]
): Promise<ProcessResult> {
  return holdfast(["db", command, "--database", database, ...options], {
    HOLDFAST_DATA: path.join(folder, "nobody"),
  });
}

const isUp = async ({ url, headers }: RunningServer): Promise<boolean> =>
  (await fetch(`${url}/api/sessions`, { headers })).ok;

describe("the schema does not change under nodes that are alive (A15)", () => {
  it("on PostgreSQL: rollback names them, and works once they are stopped or their leases have expired", async () => {
    const url = await newDatabase("postgres");
    const one = await serve("one", ["--database", url]);
    const two = await serve("two", ["--database", url]);
    const refused = await db("rollback", url);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    for (const [name, { data }] of [
      ["one", one],
      ["two", two],
    ] as const)
      expect(refused.stderr).toContain(`${name} (${readServerFile(data).node})`);
    expect(refused.stderr).toMatch(/2 live nodes use it: .* Stop them and try again\./u);
    expect([await isUp(one), await isUp(two)]).toEqual([true, true]);
    // There is nothing to migrate, so the command succeeds.
    expect(await db("migrate", url)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("up to date"),
    });
    // More nodes of the same version may join.
    const three = await serve("three", ["--database", url]);
    expect(await isUp(three)).toBe(true);

    for (const server of running.splice(0, 2)) await server.end("SIGTERM");
    expect((await db("rollback", url)).stderr).toMatch(/1 live node uses it: three /u);
    await running.pop()?.end("SIGKILL");
    // A dead node blocks for at most one lease.
    expect((await db("rollback", url)).stderr).toMatch(/1 live node uses it: three /u);
    await write(url, `update "NodeLease" set "expiresAt" = 1`);
    expect((await db("rollback", url)).code).toBe(0);
    const { stdout } = await db("status", url, "--json");
    expect(JSON.parse(stdout).migrations.at(-1)).toMatchObject({ executedAt: null });
  });

  it("on a SQLite file anywhere, while a server on another database blocks nothing", async () => {
    const file = await newDatabase("sqlite");
    const server = await serve("apart", ["--database", file]);
    // From an unrelated data folder, and from the server's own.
    for (const data of ["nobody", "apart"].map((name) => path.join(folder, name)))
      expect(await holdfast(["db", "rollback", "--database", file, "--data", data])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`apart (${readServerFile(server.data).node})`),
      });
    expect(await isUp(server)).toBe(true);

    const other = path.join(folder, "other.db");
    expect(await db("migrate", other)).toMatchObject({ code: 0 });
    const beside = ["--database", other, "--data", server.data];
    expect(await holdfast(["db", "rollback", ...beside])).toMatchObject({ code: 0, stderr: "" });
    // A file in the data folder of a server that uses another one.
    const inside = path.join(server.data, "holdfast.db");
    expect(await holdfast(["db", "migrate", "--database", inside])).toMatchObject({ code: 0 });
    expect(await holdfast(["db", "rollback", "--database", inside])).toMatchObject({ code: 0 });

    await running.pop()?.end("SIGTERM");
    expect(await db("rollback", file)).toMatchObject({ code: 0, stderr: "" });
  });

  it.each(["sqlite", "postgres"] as const)(
    "on %s: neither db migrate nor a writing command migrates an older schema under a live lease",
    async (engine) => {
      mkdirSync(path.join(folder, "nobody"));
      const database = await newDatabase(engine);
      expect((await db("migrate", database)).code).toBe(0);
      expect((await db("rollback", database)).code).toBe(0);
      await setLease(database, Date.now() + 600_000);
      const create = (): Promise<ProcessResult> =>
        holdfast([
          "create",
          "--no-repo",
          "--database",
          database,
          "--data",
          path.join(folder, "nobody"),
        ]);
      for (const refused of [await db("migrate", database), await create()])
        expect(refused).toMatchObject({
          code: 2,
          stdout: "",
          stderr: expect.stringContaining("1 live node uses it: old (n1)"),
        });
      await setLease(database, Date.now() - 1);
      expect(await create()).toMatchObject({ code: 0, stderr: "" });
      expect((await db("migrate", database)).stdout).toContain("up to date");
    },
  );
});

/** Writes the lease of a node of an older version. */
async function setLease(database: string, expiresAt: number): Promise<void> {
  await write(
    database,
    `insert into "NodeLease" ("node", "expiresAt", "startedAt", "about", "draining")
    values ('n1', ${expiresAt}, 0, '{"name":"old"}', 0)
    on conflict ("node") do update set "expiresAt" = ${expiresAt}`,
  );
}

async function write(database: string, statement: string): Promise<void> {
  const raw = await openRaw(parseDatabase(database));
  try {
    await raw.run(statement);
  } finally {
    await raw.close();
  }
}
