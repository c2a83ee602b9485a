import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { say, script, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  createTestDatabase,
  type TestDatabase,
} from "../../packages/server/src/storage/testing/test-database.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
  type RunningServer,
} from "./holdfast-process.ts";

let folder: string;
let data: string;
let root: string;
let other: string;
const running: RunningServer[] = [];
const databases: TestDatabase[] = [];

beforeEach(() => {
  const scripted = { type: "acp", command: scriptedCommand };
  ({ folder, data, root } = prepareFolder({
    providers: { scripted },
    defaultProvider: "scripted",
  }));
  other = path.join(folder, "other.db");
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end("SIGTERM");
  for (const database of databases.splice(0)) await database.remove();
  removeFolder(folder);
});

async function serve(...args: readonly string[]): Promise<RunningServer> {
  const server = await startHoldfast({ data, args, env: { AGENT_WORKSPACE_ROOT: root } });
  running.push(server);
  return server;
}

/** Runs a command with the server's data folder, as users with the default data folder do. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<ProcessResult> {
  return holdfast(args, { HOLDFAST_DATA: data, AGENT_WORKSPACE_ROOT: root, ...env });
}

async function succeed(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const result = await run(args, env);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  return result.stdout.trim();
}

/** A server marks itself as `self` in its list of nodes. A command that reads the database marks none. */
async function isThroughServer(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const { nodes }: { nodes: { self: boolean }[] } = JSON.parse(
    await succeed(["nodes", "--json", ...args], env),
  );
  return nodes.some(({ self }) => self);
}

async function newPostgres(): Promise<string> {
  const database = await createTestDatabase("postgres");
  databases.push(database);
  return database.location.engine === "postgres" ? database.location.url : "";
}

describe("the configured database is used", () => {
  it("if a flag or the environment names it, whichever server uses the data folder", async () => {
    await serve();
    await succeed(["create", "--id", "twin"]);
    const variants = [
      { args: ["--database", other], env: {} },
      { args: [], env: { HOLDFAST_DATABASE_URL: `file:${other}` } },
    ];
    for (const { args, env } of variants) {
      await succeed(["create", "--id", "twin", ...args], env);
      expect(await isThroughServer(args, env)).toBe(false);
      await succeed(["delete", "twin", "--yes", ...args], env);
      expect(await run(["get", "twin", ...args], env)).toMatchObject({ code: 1, stdout: "" });
      expect(JSON.parse(await succeed(["get", "twin"]))).toMatchObject({ agent_id: "twin" });
    }
    // The flag overrides the environment.
    const env = { HOLDFAST_DATABASE_URL: other };
    const own = ["--database", path.join(data, "holdfast.db")];
    expect(JSON.parse(await succeed(["get", "twin", ...own], env))).toMatchObject({
      agent_id: "twin",
    });
    expect(await isThroughServer(own, env)).toBe(true);
  });

  it("even right after it was copied from a database in use", async () => {
    await serve();
    await succeed(["create", "--id", "twin"]);
    await run(["db", "backup", other]);
    await succeed(["delete", "twin", "--yes", "--database", other]);
    expect(JSON.parse(await succeed(["get", "twin"]))).toMatchObject({ agent_id: "twin" });
  });

  it("through the server that uses it, under any name of the file", async () => {
    await serve();
    const file = path.join(data, "holdfast.db");
    const link = path.join(folder, "link.db");
    symlinkSync(file, link);
    mkdirSync(path.join(folder, "elsewhere"));
    for (const name of [file, link, `file:${file}`, `sqlite://${file}`])
      expect(await isThroughServer(["--database", name])).toBe(true);
    // Also with another default data folder: the file's own folder names its server.
    const elsewhere = { HOLDFAST_DATA: path.join(folder, "elsewhere") };
    for (const name of [file, link])
      expect(await isThroughServer(["--database", name], elsewhere)).toBe(true);
  });

  it("from the server of the data folder if none is named; --data overrides the environment", async () => {
    await serve("--database", other);
    await succeed(["create", "--id", "kept"]);
    expect(await isThroughServer([])).toBe(true);
    expect(await isThroughServer(["--data", data], { HOLDFAST_DATABASE_URL: "nowhere.db" })).toBe(
      true,
    );
    expect(existsSync(path.join(data, "holdfast.db"))).toBe(false);
    expect(JSON.parse(await succeed(["get", "kept", "--database", other]))).toMatchObject({
      agent_id: "kept",
    });
    // Commands that work only on the database do not guess another one.
    for (const args of [["cleanup"], ["import", root]])
      expect(await run(args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("uses another database"),
      });
    expect(await run(["cleanup", "--database", other])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(data, "holdfast.db"))).toBe(false);
  });

  it("and cannot be combined with a server's URL, because the server has its own database", async () => {
    const { url } = await serve();
    for (const args of [["list"], ["token"], ["doctor"], ["providers"], ["cleanup"]]) {
      const refused = await run([...args, "--url", url, "--database", other]);
      expect(refused.code).toBe(args[0] === "doctor" ? 2 : 64);
      expect(refused.stdout + refused.stderr).toMatch(/--url/u);
    }
    expect(existsSync(other)).toBe(false);
    // The URL overrides the environment.
    expect(await isThroughServer(["--url", url], { HOLDFAST_DATABASE_URL: other })).toBe(true);
    expect(await run(["import", root, "--url", url])).toMatchObject({ code: 64, stdout: "" });
  });

  it("directly, if an older server does not report which database it uses", async () => {
    await serve();
    const file = path.join(data, "server.json");
    const { node: _, database: __, ...older } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(older));
    expect(await isThroughServer([])).toBe(true);
    await succeed(["create", "--id", "beside", "--database", path.join(data, "holdfast.db")]);
    expect(await isThroughServer(["--database", path.join(data, "holdfast.db")])).toBe(false);
    expect(JSON.parse(await succeed(["get", "beside"]))).toMatchObject({ agent_id: "beside" });
  });
});

describe("a PostgreSQL database in the configuration", () => {
  it("is reached through the server that uses it; another one is reached directly", async () => {
    const [url, another] = [await newPostgres(), await newPostgres()];
    await serve("--database", url);
    const alias = new URL(url);
    alias.hostname = alias.hostname === "localhost" ? "127.0.0.1" : "localhost";
    alias.searchParams.set("application_name", "alias");
    for (const name of [url, alias.href]) {
      expect(await isThroughServer(["--database", name])).toBe(true);
      expect(await isThroughServer([], { HOLDFAST_DATABASE_URL: name })).toBe(true);
    }
    expect(await run(["list", "--database", another])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("holds no Holdfast data"),
    });
    expect(
      JSON.parse((await run(["db", "status", "--json", "--database", another])).stdout),
    ).toMatchObject({
      migrations: expect.not.arrayContaining([{ executedAt: expect.any(String) }]),
    });
    await succeed(["create", "--id", "there", "--database", another]);
    expect(await run(["get", "there"])).toMatchObject({ code: 1 });
    expect(await run(["get", "there", "--database", another])).toMatchObject({ code: 0 });
  });

  it("can be changed directly while a node is alive, which continues and sees the changes", async () => {
    const database = await newPostgres();
    const client = createClient(await serve("--database", database));
    const { id: repoId } = await client.repos.add({ path: root });
    const message = script(say("started"), waitFor(path.join(root, "never")), say("done"));
    const { id } = await client.sessions.create({ repoId, message });
    const contents = async (): Promise<unknown> =>
      (await client.sessions.get(id)).messages.map(({ content }) => content);
    await expect.poll(contents).toContainEqual(expect.objectContaining({ text: "started" }));

    const elsewhere = { HOLDFAST_DATA: path.join(folder, "nobody") };
    const named = ["--database", database];
    expect(await isThroughServer(named, elsewhere)).toBe(false);
    expect(JSON.parse(await succeed(["cancel", id, "--json", ...named], elsewhere))).toMatchObject({
      state: "idle",
    });
    await succeed(["send", id, script(say("again")), "--detach", ...named], elsewhere);
    await expect.poll(contents).toContainEqual(expect.objectContaining({ text: "again" }));
    expect((await client.nodes.list()).nodes).toMatchObject([{ self: true, alive: true }]);
    await expect
      .poll(async () => (await client.nodes.list()).nodes.map(({ busy }) => busy))
      .toEqual([0]);
    await succeed(["delete", id, "--yes", ...named], elsewhere);
    await expect(client.sessions.get(id)).rejects.toMatchObject({ code: "session_not_found" });
  });
});

describe("reading commands create nothing", () => {
  const READING: readonly (readonly string[])[] = [
    ["get", "X"],
    ["list"],
    ["stats"],
    ["inbox"],
    ["should-resume", "X"],
    ["export", "X"],
    ["watch", "X"],
    ["nodes"],
    ["repos"],
    ["token"],
    ["cleanup", "--dry-run"],
    ["db", "status"],
    ["db", "backup", "/tmp/holdfast-never-made.db"],
  ];
  /** These change existing data, and there is none. */
  const CHANGING: readonly (readonly string[])[] = [
    ["update", "X", "--phase", "planning"],
    ["finalize", "X", "completed"],
    ["cancel", "X"],
    ["resume", "X"],
    ["archive", "X"],
    ["delete", "X", "--yes"],
    ["fork", "X"],
    ["send", "X", "Hello", "--detach"],
    ["repos", "remove", "X"],
    ["token", "revoke", "X"],
    ["cleanup"],
    ["db", "rollback"],
  ];

  it.each([...READING, ...CHANGING])("holdfast %s %s", async (...args) => {
    const nowhere = path.join(folder, "nowhere");
    for (const options of [
      ["--data", nowhere],
      ["--data", nowhere, "--database", other],
    ]) {
      const result = await holdfast([...args, ...options]);
      expect(result).toMatchObject({ code: 1, stdout: "" });
      expect(result.stderr).toMatch(/does not exist|no such (file|database)/u);
      expect([existsSync(nowhere), existsSync(other)]).toEqual([false, false]);
    }
  });

  it("nor does the doctor, which reports what is missing and continues", async () => {
    const nowhere = path.join(folder, "nowhere");
    const { code, stdout } = await holdfast(["doctor", "--data", nowhere]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^! data folder .*does not exist/mu)]);
    expect(stdout).toMatch(/^! database /mu);
    expect((await holdfast(["providers", "--data", nowhere])).stdout).toContain("demo");
    expect(existsSync(nowhere)).toBe(false);
    const noFolder = path.join(data, "holdfast.config.json", "data");
    expect(await holdfast(["doctor", "--data", noFolder])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^✗ data folder/mu),
    });
  });

  it("nor do they touch files or databases of other programs", async () => {
    writeFileSync(other, "");
    const before = readFileSync(other);
    const url = await newPostgres();
    for (const database of [other, url]) {
      for (const args of [["list"], ["get", "X"], ["stats"], ["delete", "X", "--yes"]])
        expect(await holdfast([...args, "--data", data, "--database", database])).toMatchObject({
          code: 1,
          stdout: "",
          stderr: expect.stringContaining("holds no Holdfast data"),
        });
      const { stdout } = await holdfast(["db", "status", "--database", database, "--data", data]);
      expect(stdout).toContain("0001-portal");
      expect(stdout).not.toMatch(/\d{4}-\d\d-\d\dT/u);
    }
    expect(readFileSync(other)).toEqual(before);
  });

  it("nor do they migrate an older database; writing commands do", async () => {
    const named = ["--data", data, "--database", other];
    await holdfast(["db", "migrate", ...named]);
    await holdfast(["db", "rollback", ...named]);
    expect(await holdfast(["list", ...named])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Run: holdfast db migrate"),
    });
    expect(await holdfast(["create", "--no-repo", ...named])).toMatchObject({ code: 0 });
    expect(await holdfast(["list", ...named])).toMatchObject({ code: 0 });
  });
});
