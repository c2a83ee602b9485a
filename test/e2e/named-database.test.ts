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
  type Ended,
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

/** A command whose data folder is the server's, as it is for who uses the default one. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return holdfast(args, { HOLDFAST_DATA: data, AGENT_WORKSPACE_ROOT: root, ...env });
}

async function good(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const ended = await run(args, env);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended.stdout.trim();
}

/** A server says of itself that it is `self`; whoever reads the database says it of none. */
async function isThroughServer(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const nodes: { self: boolean }[] = JSON.parse(await good(["nodes", "--json", ...args], env));
  return nodes.some(({ self }) => self);
}

async function newPostgres(): Promise<string> {
  const database = await createTestDatabase("postgres");
  databases.push(database);
  return database.location.engine === "postgres" ? database.location.url : "";
}

describe("a command uses the named database", () => {
  it("by a flag or the environment, even if a server runs on the data folder", async () => {
    await serve();
    await good(["create", "--id", "twin"]);
    const named = [
      { args: ["--database", other], env: {} },
      { args: [], env: { HOLDFAST_DATABASE_URL: `file:${other}` } },
    ];
    for (const { args, env } of named) {
      await good(["create", "--id", "twin", ...args], env);
      expect(await isThroughServer(args, env)).toBe(false);
      await good(["delete", "twin", "--yes", ...args], env);
      expect(await run(["get", "twin", ...args], env)).toMatchObject({ code: 1, stdout: "" });
      expect(JSON.parse(await good(["get", "twin"]))).toMatchObject({ agent_id: "twin" });
    }
    // The flag wins over the environment.
    const env = { HOLDFAST_DATABASE_URL: other };
    const own = ["--database", path.join(data, "holdfast.db")];
    expect(JSON.parse(await good(["get", "twin", ...own], env))).toMatchObject({
      agent_id: "twin",
    });
    expect(await isThroughServer(own, env)).toBe(true);
  });

  it("also right after it was copied from the database of a server", async () => {
    await serve();
    await good(["create", "--id", "twin"]);
    await run(["db", "backup", other]);
    await good(["delete", "twin", "--yes", "--database", other]);
    expect(JSON.parse(await good(["get", "twin"]))).toMatchObject({ agent_id: "twin" });
  });

  it("through the server that uses it, by any name of the file", async () => {
    await serve();
    const file = path.join(data, "holdfast.db");
    const link = path.join(folder, "link.db");
    symlinkSync(file, link);
    mkdirSync(path.join(folder, "elsewhere"));
    for (const name of [file, link, `file:${file}`, `sqlite://${file}`])
      expect(await isThroughServer(["--database", name])).toBe(true);
    // Also when another data folder is the usual one: the file's own folder says who serves it.
    const elsewhere = { HOLDFAST_DATA: path.join(folder, "elsewhere") };
    for (const name of [file, link])
      expect(await isThroughServer(["--database", name], elsewhere)).toBe(true);
  });

  it("without a name, it is the database of the server on the data folder; --data overrides the environment", async () => {
    await serve("--database", other);
    await good(["create", "--id", "kept"]);
    expect(await isThroughServer([])).toBe(true);
    expect(await isThroughServer(["--data", data], { HOLDFAST_DATABASE_URL: "nowhere.db" })).toBe(
      true,
    );
    expect(existsSync(path.join(data, "holdfast.db"))).toBe(false);
    expect(JSON.parse(await good(["get", "kept", "--database", other]))).toMatchObject({
      agent_id: "kept",
    });
    // What works on the database alone does not guess another.
    for (const args of [["cleanup"], ["import", root]])
      expect(await run(args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("uses another database"),
      });
    expect(await run(["cleanup", "--database", other])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(data, "holdfast.db"))).toBe(false);
  });

  it("but not together with a server URL, since a server has its own database", async () => {
    const { url } = await serve();
    for (const args of [["list"], ["token"], ["doctor"], ["providers"], ["cleanup"]]) {
      const refused = await run([...args, "--url", url, "--database", other]);
      expect(refused.code).toBe(args[0] === "doctor" ? 2 : 64);
      expect(refused.stdout + refused.stderr).toMatch(/--url/u);
    }
    expect(existsSync(other)).toBe(false);
    // A URL wins over what the environment names.
    expect(await isThroughServer(["--url", url], { HOLDFAST_DATABASE_URL: other })).toBe(true);
    expect(await run(["import", root, "--url", url])).toMatchObject({ code: 64, stdout: "" });
  });

  it("directly, when the server's version does not record its database", async () => {
    await serve();
    const file = path.join(data, "server.json");
    const {
      node: _,
      database: __,
      localToken: ___,
      ...older
    } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(older));
    expect(await isThroughServer([])).toBe(true);
    await good(["create", "--id", "beside", "--database", path.join(data, "holdfast.db")]);
    expect(await isThroughServer(["--database", path.join(data, "holdfast.db")])).toBe(false);
    expect(JSON.parse(await good(["get", "beside"]))).toMatchObject({ agent_id: "beside" });
  });
});

describe("a named PostgreSQL database", () => {
  it("is used through its server, and another one directly", async () => {
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
    await good(["create", "--id", "there", "--database", another]);
    expect(await run(["get", "there"])).toMatchObject({ code: 1 });
    expect(await run(["get", "there", "--database", another])).toMatchObject({ code: 0 });
  });

  it("can be changed directly while a node is alive, which notices the change", async () => {
    const database = await newPostgres();
    const { url } = await serve("--database", database);
    const client = createClient({ url });
    const { id: repoId } = await client.repos.add({ path: root });
    const message = script(say("begun"), waitFor(path.join(root, "never")), say("done"));
    const { id } = await client.sessions.create({ repoId, message });
    const said = async (): Promise<unknown> =>
      (await client.sessions.get(id)).messages.map(({ content }) => content);
    await expect.poll(said).toContainEqual(expect.objectContaining({ text: "begun" }));

    const elsewhere = { HOLDFAST_DATA: path.join(folder, "nobody") };
    const named = ["--database", database];
    expect(await isThroughServer(named, elsewhere)).toBe(false);
    expect(JSON.parse(await good(["cancel", id, ...named], elsewhere))).toMatchObject({
      state: "idle",
    });
    await good(["send", id, script(say("again")), "--detach", ...named], elsewhere);
    await expect.poll(said).toContainEqual(expect.objectContaining({ text: "again" }));
    expect((await client.nodes.list()).nodes).toMatchObject([{ self: true, alive: true }]);
    await expect
      .poll(async () => (await client.nodes.list()).nodes.map(({ busy }) => busy))
      .toEqual([0]);
    await good(["delete", id, "--yes", ...named], elsewhere);
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
  /** These change what is there, and there is nothing. */
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
    for (const place of [
      ["--data", nowhere],
      ["--data", nowhere, "--database", other],
    ]) {
      const ended = await holdfast([...args, ...place]);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expect(ended.stderr).toMatch(/does not exist|no such (file|database)/u);
      expect([existsSync(nowhere), existsSync(other)]).toEqual([false, false]);
    }
  });

  it("doctor creates nothing, reports it and continues", async () => {
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

  it("reading commands do not change a file or a database of another program", async () => {
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

  it("reading commands do not migrate an older database; writing commands do", async () => {
    const named = ["--data", data, "--database", other];
    await holdfast(["db", "migrate", ...named]);
    await holdfast(["db", "rollback", ...named]);
    expect(await holdfast(["list", ...named])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Run: holdfast db migrate"),
    });
    expect(await holdfast(["create", ...named])).toMatchObject({ code: 0 });
    expect(await holdfast(["list", ...named])).toMatchObject({ code: 0 });
  });
});
