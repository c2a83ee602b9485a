import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERSION } from "../../packages/server/src/cli/version.ts";
import { damagePage } from "../../packages/server/src/storage/sqlite/testing/damage-page.ts";
import { MIGRATION_NAMES } from "../../packages/server/src/storage/migrations/testing/migration-names.ts";
import { createTestDatabase } from "../../packages/server/src/storage/testing/test-database.ts";
import {
  holdfast,
  readServerFile,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let data: string;
const running: RunningServer[] = [];

beforeEach(() => {
  data = path.join(temporaryFolder(), "data");
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end("SIGKILL");
  removeFolder(path.dirname(data));
});

async function start(
  options: Partial<Parameters<typeof startHoldfast>[0]> = {},
): Promise<RunningServer> {
  const server = await startHoldfast({ data, ...options });
  running.push(server);
  return server;
}

async function stop(signal: NodeJS.Signals) {
  const server = running.pop();
  if (server === undefined) throw new Error("no server is running");
  return server.end(signal);
}

describe("holdfast serve", () => {
  it("creates its data folder, migrates, serves and prints its address", async () => {
    const { url, greeting, headers } = await start();
    expect(greeting).toContain(`is ready at ${url}`);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const ready = await fetch(`${url}/readyz`, { headers });
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: "ready", database: { engine: "sqlite" }, sessions: { badge: 0 }, setAside: 0 },
    ]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: "3.1.0" });
    const page = await fetch(url);
    expect(page.headers.get("content-type")).toMatch("text/html");
    expect(await page.text()).toContain("Holdfast");
  });

  it("writes its address to server.json, readable only by its owner, and removes it at a clean exit", async () => {
    const { url, pid } = await start();
    const file = path.join(data, "server.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readServerFile(data)).toEqual({
      url,
      pid,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      version: VERSION,
      node: expect.any(String),
      database: expect.stringMatching(/^sqlite:/u),
      databaseName: `SQLite, ${path.join(data, "holdfast.db")}`,
      workspaceRoot: process.cwd(),
      processStart: expect.any(String),
    });
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      if (running.length === 0) await start();
      expect(await stop(signal)).toMatchObject({ code: 0, stderr: "" });
      expect(existsSync(file)).toBe(false);
    }
  });

  it("refuses a second server on the same data folder, and names the first one's pid and address", async () => {
    const { url, pid, headers } = await start();
    const second = await holdfast(["serve", "--data", data, "--port", "0"]);
    expect(second).toMatchObject({ code: 2, stdout: "" });
    expect(second.stderr.trim().split("\n")).toEqual([
      expect.stringContaining(`pid ${pid} at ${url}`),
    ]);
    expect((await fetch(`${url}/readyz`, { headers })).status).toBe(200);
  });

  it("starts again after kill -9, although server.json still exists", async () => {
    await start();
    await stop("SIGKILL");
    expect(existsSync(path.join(data, "server.json"))).toBe(true);
    const { url, pid } = await start();
    expect(readServerFile(data)).toMatchObject({ url, pid });
  });

  it("reports in one line that a port is in use", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => blocker.once("listening", resolve));
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const result = await holdfast(["serve", "--data", data, "--port", String(port)]);
    blocker.close();
    expect(result).toEqual({
      code: 2,
      stdout: "",
      stderr: `holdfast: Port ${port} on 127.0.0.1 is in use. Choose another with --port, or --port 0 for any free one.\n`,
    });
    expect(existsSync(path.join(data, "server.json"))).toBe(false);
  });

  it.each([["/proc/holdfast"], [path.join(process.execPath, "data")]])(
    "reports in one line that the data folder %s cannot be written",
    async (folder) => {
      const result = await holdfast(["serve", "--data", folder, "--port", "0"]);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr.trim().split("\n")).toEqual([
        expect.stringContaining(`Cannot create the data folder ${folder}`),
      ]);
    },
  );

  it("reports in one line that the database is newer than the program, and leaves it unchanged", async () => {
    await start();
    await stop("SIGTERM");
    const file = path.join(data, "holdfast.db");
    const database = new DatabaseSync(file);
    database.exec(
      `insert into "HoldfastMigration" values ('9999-from-the-future', '2030-01-01T00:00:00.000Z')`,
    );
    database.close();
    const before = readFileSync(file);
    const result = await holdfast(["serve", "--data", data, "--port", "0"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr.trim().split("\n")).toEqual([
      expect.stringContaining("newer Holdfast (9999-from-the-future)"),
    ]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("reports in one line that a file is not a database", async () => {
    const file = path.join(path.dirname(data), "notes.txt");
    writeFileSync(file, "not a database, but long enough to look like one".repeat(10));
    const result = await holdfast(["serve", "--data", data, "--database", file, "--port", "0"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr.trim().split("\n")).toEqual([
      expect.stringContaining("file is not a database"),
    ]);
  });

  it("quarantines an unreadable row, reports it, and counts it in /readyz (B5)", async () => {
    await start();
    await stop("SIGTERM");
    const database = new DatabaseSync(path.join(data, "holdfast.db"));
    database.exec(`pragma ignore_check_constraints = on; insert into "AgentSession" ("id", "status", "state",
      "phase", "phaseHistory", "resumeReady", "errorCount", "metadata", "supportsResume", "delivery", "queued",
      "createdAt", "updatedAt", "lastActiveAt", "version", "lastSeq") values ('spoiled', 'active', 'idle',
      'planning', '[]', 1, 0, '{not json', 0, 'open', 0, 1, 1, 1, 1, 0)`);
    database.close();
    const { url, headers } = await start();
    await expect
      .poll(async () => (await fetch(`${url}/readyz`, { headers })).json())
      .toMatchObject({ status: "ready", setAside: 1, sessions: { active: 0 } });
    expect((await stop("SIGTERM")).stderr).toBe(
      "holdfast: set aside AgentSession spoiled, which cannot be read: metadata is not JSON\n",
    );
  });

  it("reports a damaged page in doctor and db check, and serves the rest", async () => {
    await start();
    await stop("SIGTERM");
    const file = path.join(data, "holdfast.db");
    damagePage(file, "IdempotencyKey");
    const { url, headers } = await start();
    expect((await fetch(`${url}/api/sessions`, { headers })).status).toBe(200);
    const asked = await fetch(`${url}/api/database/check`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    const damage = [expect.stringMatching(/^IdempotencyKey: /u)];
    expect([asked.status, await asked.json()]).toEqual([200, { damage }]);
    expect(await (await fetch(`${url}/readyz`, { headers })).json()).toMatchObject({
      status: "ready",
      damage,
    });
    expect(await (await fetch(`${url}/metrics`, { headers })).text()).toMatch(
      /^holdfast_database_damage 1$/mu,
    );
    // The log is written in the background.
    await expect
      .poll(() => readFileSync(path.join(data, "logs", "holdfast.log"), "utf8"))
      .toContain("the database is damaged; nothing is removed automatically");
    const checked = await holdfast(["db", "check", "--data", data]);
    expect(checked).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("is damaged: IdempotencyKey: "),
    });
    const examined = await holdfast(["doctor", "--data", data]);
    expect(examined).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/✗ database .* is damaged: IdempotencyKey: /u),
    });
  });

  it("refuses to listen on other addresses without authentication", async () => {
    const env = { HOLDFAST_AUTH: "none" };
    expect(await holdfast(["serve", "--data", data, "--host", "0.0.0.0"], env)).toEqual({
      code: 64,
      stdout: "",
      stderr:
        'holdfast: Listening on 0.0.0.0 gives other machines access, which needs authentication. Remove "auth": "none", or omit --host.\n',
    });
  });

  it("takes its settings from the environment; flags override them", async () => {
    const { url } = await start({
      env: { HOLDFAST_PORT: "1", HOLDFAST_TOKEN: "s3cret", HOLDFAST_DATA: "/nowhere" },
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(401);
    const authorization = { headers: { authorization: "Bearer s3cret" } };
    expect((await fetch(`${url}/readyz`, authorization)).status).toBe(200);
  });

  it("uses PostgreSQL if its URL is given", async () => {
    const database = await createTestDatabase("postgres");
    if (database.location.engine !== "postgres") throw new Error("unreachable: it is PostgreSQL");
    const { url, headers } = await start({
      env: { HOLDFAST_DATABASE_URL: database.location.url },
    });
    expect(await (await fetch(`${url}/readyz`, { headers })).json()).toMatchObject({
      status: "ready",
      database: { engine: "postgres" },
    });
    await database.remove();
    const lost = await fetch(`${url}/readyz`, { headers });
    expect([lost.status, await lost.json()]).toMatchObject([503, { status: "unready" }]);
  });
});

describe("holdfast", () => {
  it("reports in one line that Node is too old", async () => {
    const pretend =
      "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
    const result = await holdfast(["--version"], { NODE_OPTIONS: `--import=${pretend}` });
    expect(result).toEqual({
      code: 64,
      stdout: "",
      stderr:
        "holdfast: Node 22.18 or newer is needed, and this is Node 20.20.2. Install a newer one from https://nodejs.org.\n",
    });
  });

  it("exits with 64 on wrong usage and with 0 on help", async () => {
    expect((await holdfast(["bogus"])).code).toBe(64);
    expect((await holdfast(["serve", "--port", "abc"])).code).toBe(64);
    expect((await holdfast(["--help"])).code).toBe(0);
    expect(await holdfast(["--version"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  it("migrates, shows and rolls back the schema, but not under a running server (A15)", async () => {
    const db = (command: string, ...options: string[]) =>
      holdfast(["db", command, "--data", data, ...options]);
    const pending = async () =>
      JSON.parse((await db("status", "--json")).stdout).migrations.filter(
        ({ executedAt }: { executedAt: string | null }) => executedAt === null,
      ).length;
    const missing = await db("status", "--json");
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect([missing.stderr, existsSync(data)]).toEqual([expect.stringContaining(data), false]);
    expect((await db("migrate")).stdout).toBe(
      MIGRATION_NAMES.map((name) => `migrated ${name}\n`).join(""),
    );
    expect((await db("migrate")).stdout).toContain("up to date");
    expect(await pending()).toBe(0);

    await start();
    const { node } = readServerFile(data);
    const refused = await db("rollback");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(node)]);
    expect((await db("migrate")).stdout).toContain("up to date");
    await stop("SIGTERM");

    for (const name of MIGRATION_NAMES.toReversed())
      expect((await db("rollback")).stdout).toBe(`rolled back ${name}\n`);
    expect((await db("rollback")).stdout).toContain("nothing to roll back");
    expect(await pending()).toBe(MIGRATION_NAMES.length);
  });
});
