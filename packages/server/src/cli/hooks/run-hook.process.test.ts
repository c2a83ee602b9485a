import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable, Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMigrations } from "../../storage/open-store.ts";
import { unwritableFolder } from "../../storage/sqlite/testing/small-disk.ts";
import { temporaryFolder } from "../../storage/sqlite/testing/test-file.ts";
import { beginSession } from "../../storage/testing/session-driver.ts";
import { openTestStore } from "../../storage/testing/test-database.ts";
import { lockDataFolder } from "../settings/data-folder.ts";
import { MAX_INPUT_BYTES } from "./hook-input.ts";
import { preDelegate } from "./pre-delegate.ts";
import { subagentStop } from "./subagent-stop.ts";
import { callHook, hookLog, NOW, openHookRig, type HookRig } from "./testing/hook-rig.ts";

describe("a hook whose input is not a JSON object", () => {
  it.each([
    { input: "", reason: "input_empty" },
    { input: " \n", reason: "input_empty" },
    { input: "{", reason: "input_not_json" },
    { input: "agent_name=x", reason: "input_not_json" },
    { input: "[1]", reason: "input_not_object" },
    { input: "null", reason: "input_not_object" },
    { input: '"x"', reason: "input_not_object" },
    { input: `{"a":${"[".repeat(200)}${"]".repeat(200)}}`, reason: "input_too_deep" },
    { input: `{"a":${"[".repeat(200_000)}`, reason: "input_not_json" },
    { input: `{"a":"${"x".repeat(MAX_INPUT_BYTES)}"}`, reason: "input_too_large" },
  ])("answers all the same, and says so: $reason (B4)", async ({ input, reason }) => {
    const data = temporaryFolder();
    const error = expect.stringMatching(/\.$/u);

    expect(await callHook(preDelegate, input, { flags: { data } })).toEqual({
      code: 0,
      output: {
        ...NO_SESSION,
        reason: /empty|json/u.test(reason) ? "invalid_json" : "error",
        detail: reason,
        agent_id: null,
        original_context: null,
        error,
      },
    });
    expect(await callHook(subagentStop, input, { flags: { data } })).toEqual({
      code: 0,
      output: {
        finalized: false,
        reason,
        agent_id: null,
        success: false,
        status: "partial_update",
        session_id: null,
        metrics_captured: false,
        anomalies_detected: 0,
        error,
      },
    });
    expect(hookLog(data)).toMatchObject([{ reason }, { reason }]);
  });

  it("accepts input of exactly the maximum size", async () => {
    const padding = "x".repeat(MAX_INPUT_BYTES - `{"agent_name":"a","b":""}`.length);
    const { output } = await callHook(preDelegate, `{"agent_name":"a","b":"${padding}"}`, {
      flags: { data: temporaryFolder() },
    });
    expect(output).toMatchObject({ reason: "no_existing_session", detail: "no_session" });
  });

  it("stops reading an endless input", async () => {
    let given = 0;
    const endless = new Readable({
      read() {
        given += 65_536;
        this.push("x".repeat(65_536));
      },
    });
    const { output } = await callHook(subagentStop, endless, {
      flags: { data: temporaryFolder() },
    });
    expect(output).toMatchObject({ reason: "input_too_large" });
    expect(given).toBeLessThan(20 * MAX_INPUT_BYTES);
    expect(endless.destroyed).toBe(true);
  });

  it("answers when stdin fails or is missing", async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error("EIO"));
      },
    });
    const flags = { data: temporaryFolder() };
    expect(await callHook(preDelegate, broken, { flags })).toMatchObject({
      code: 0,
      output: { detail: "input_unreadable" },
    });
    const said: string[] = [];
    const stdio = {
      get stdin(): never {
        throw new Error("no such handle");
      },
      stdout: new Writable({
        write(chunk, _encoding, done) {
          said.push(String(chunk));
          done();
        },
      }),
    };
    expect(await preDelegate({ flags, env: {}, stdio })).toBe(0);
    expect(JSON.parse(said.join(""))).toMatchObject({ detail: "hook_failed" });
  });

  it("does not read from a terminal", async () => {
    const terminal = Object.assign(new Readable({ read() {} }), { isTTY: true });
    const { output } = await callHook(preDelegate, terminal, {
      flags: { data: temporaryFolder() },
    });
    expect(output).toMatchObject({ reason: "invalid_json", detail: "input_empty" });
  });

  it("continues when the object is complete, although stdin is still open", async () => {
    const open = new Readable({ read() {} });
    open.push('{"agent_name": "a", "b": {"c": 1}');
    open.push("}\n");
    const { output } = await callHook(preDelegate, open, { flags: { data: temporaryFolder() } });
    expect(output).toMatchObject({
      reason: "no_existing_session",
      original_context: { agent_name: "a", b: { c: 1 } },
    });
    expect(open.destroyed).toBe(true);
  });

  it("times out and exits when stdin never ends (B4)", async () => {
    const data = temporaryFolder();
    const silent = new Readable({ read() {} });
    silent.push('{"agent_name": "a"');
    let hasLeft = false;
    const called = await callHook(preDelegate, silent, {
      flags: { data },
      limitMs: 200,
      leave: () => (hasLeft = true),
    });

    expect(called).toEqual({
      code: 0,
      output: {
        ...NO_SESSION,
        reason: "error",
        detail: "timed_out",
        agent_id: null,
        original_context: null,
        error: "No answer within 200 ms.",
      },
    });
    expect({ hasLeft, isClosed: silent.destroyed }).toEqual({ hasLeft: true, isClosed: true });
    expect(hookLog(data)).toMatchObject([{ reason: "timed_out" }]);
  });

  it("ignores a closed stdout", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });
    const gone = new Writable({
      write(_chunk, _encoding, done) {
        done(new Error("EPIPE"));
      },
    });
    const stdin = Readable.from([JSON.stringify({ agent_id: id })]);

    expect(
      await subagentStop({ flags: { data: rig.data }, env: {}, stdio: { stdin, stdout: gone } }),
    ).toBe(0);
    expect(await rig.session(id)).toMatchObject({ phase: "completed" });
  });
});

describe("a hook with a missing or broken database", () => {
  it("creates no database", async () => {
    const data = path.join(temporaryFolder(), "not", "there");

    expect(await asked(data)).toMatchObject({ resumed: NO_SESSION, stopped: NOT_FINALIZED });
    expect(hookLog(data)).toMatchObject([
      { reason: "session_not_found" },
      { reason: "session_not_found" },
    ]);
    expect(readdirSync(data)).toEqual(["logs"]);
  });

  it("reports a file that is not a database (B4)", async () => {
    const rig = await openHookRig();
    await damaged(rig, "This is a letter to my landlord.\n".repeat(200));
    expect(await asked(rig.data)).toMatchObject(bothSay("database_corrupt"));
  });

  it("reports a database of a newer version (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin();
    const raw = new DatabaseSync(path.join(rig.data, "holdfast.db"));
    raw.exec(`insert into "HoldfastMigration" values ('9999-future', '2030-01-01T00:00:00.000Z')`);
    raw.close();
    expect(await asked(rig.data, id)).toMatchObject(bothSay("schema_too_new"));
  });

  it("migrates an older database, unless a server uses it", async () => {
    const data = temporaryFolder();
    const file = path.join(data, "holdfast.db");
    const migrations = await openMigrations({ engine: "sqlite", file });
    await migrations.up();
    await migrations.down();
    const lock = lockDataFolder(data);
    lock.announce({ url: "http://127.0.0.1:1", pid: 1, startedAt: "", version: "0" });
    expect(await asked(data)).toMatchObject(bothSay("schema_too_old"));
    lock.release();

    expect(await asked(data)).toMatchObject(bothSay("session_not_found"));
    const states = (await migrations.status()).map(({ executedAt }) => executedAt !== null);
    expect(new Set(states)).toEqual(new Set([true]));
  });

  it("waits for another process that holds it, then reports that it is busy (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });
    const other = new DatabaseSync(path.join(rig.data, "holdfast.db"));
    other.exec("begin immediate");
    const notCrowded = { limitMs: 1_000, share: () => 1 };
    const stopped = await rig.call(subagentStop, { agent_id: id }, notCrowded);
    const resumed = await rig.call(preDelegate, { agent_id: id }, notCrowded);
    other.exec("rollback");
    other.close();

    expect(stopped).toMatchObject({ code: 0, output: { reason: "database_busy" } });
    expect(resumed).toMatchObject({ code: 0, output: { detail: "not_resume_ready" } });
    expect(await rig.session(id)).toMatchObject({ phase: "executing" });
  });

  it("answers when nothing can be written, not even its log (B4)", async () => {
    const { folder, remove } = unwritableFolder();
    onTestFinished(remove);
    expect(await asked(path.join(folder, "data"))).toMatchObject({
      resumed: NO_SESSION,
      stopped: NOT_FINALIZED,
    });
  });

  it("answers when the data folder is a file, or its database a circular link", async () => {
    const data = path.join(temporaryFolder(), "data");
    writeFileSync(data, "");
    expect(await asked(data)).toMatchObject(bothSay("session_not_found"));

    const circular = temporaryFolder();
    const file = path.join(circular, "holdfast.db");
    symlinkSync(file, file);
    expect(await asked(circular)).toMatchObject(bothSay("database_unavailable"));
  });

  it("answers when PostgreSQL is not reachable", async () => {
    const flags = { data: temporaryFolder(), database: "postgres://nobody@127.0.0.1:1/none" };
    const { output } = await callHook(preDelegate, { agent_id: "x" }, { flags });
    expect(output).toMatchObject({
      ...NO_SESSION,
      reason: "error",
      detail: "database_unavailable",
    });
  });

  it("reports invalid settings (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });
    writeFileSync(path.join(rig.data, "holdfast.config.json"), "{ limits: }");
    const flags = { data: rig.data, database: "mysql://x" };

    expect(await rig.call(preDelegate, { agent_id: id })).toMatchObject({
      output: {
        ...NO_SESSION,
        reason: "error",
        detail: "settings_invalid",
        error: expect.stringMatching(/line 1/u),
      },
    });
    expect(await callHook(subagentStop, { agent_id: id }, { flags })).toMatchObject({
      output: { finalized: false, reason: "settings_invalid" },
    });
    expect(await rig.call(subagentStop, { agent_id: id })).toMatchObject({
      output: { finalized: true },
    });
  });

  it("ignores invalid settings that only a server uses", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin();
    const env = {
      HOLDFAST_DATA: rig.data,
      HOLDFAST_HOST: "0.0.0.0",
      HOLDFAST_PORT: "many",
      AGENT_WORKSPACE_ROOT: "/not/there",
    };
    expect(await callHook(preDelegate, { agent_id: id }, { flags: {}, env })).toMatchObject({
      output: { should_resume: true },
    });
  });
});

describe("a hook on PostgreSQL", () => {
  it("works as on SQLite, but leaves migrations to the servers", async () => {
    const { store, location, close } = await openTestStore("postgres");
    onTestFinished(close);
    if (location.engine !== "postgres") throw new Error("unreachable: asked for PostgreSQL");
    const flags = { data: temporaryFolder(), database: location.url };
    const session = await beginSession(store, { repoId: null, agentName: "a", at: NOW - 5_000 });
    await session.perform({ type: "update", changes: {}, phase: "approval" });

    expect(await callHook(preDelegate, { agent_name: "a" }, { flags })).toMatchObject({
      code: 0,
      output: { should_resume: true, agent_id: session.id },
    });
    expect(await callHook(subagentStop, { agent_id: session.id }, { flags })).toMatchObject({
      code: 0,
      output: { finalized: true, reason: "session_finalized", agent_id: session.id },
    });
    await (await openMigrations(location)).down();
    expect(await callHook(subagentStop, { agent_id: session.id }, { flags })).toMatchObject({
      code: 0,
      output: { finalized: false, reason: "schema_too_old" },
    });
  });
});

const NO_SESSION = { should_resume: false, resume_metadata: null };
const NOT_FINALIZED = { finalized: false };

function bothSay(reason: string): object {
  return { resumed: { ...NO_SESSION, detail: reason }, stopped: { ...NOT_FINALIZED, reason } };
}

/** Both hooks about one session. */
async function asked(
  data: string,
  agent_id = "agent-1",
): Promise<{ readonly resumed: unknown; readonly stopped: unknown }> {
  const flags = { data };
  const resumed = await callHook(preDelegate, { agent_name: "a", agent_id }, { flags });
  const stopped = await callHook(subagentStop, { task_info: { agent_id } }, { flags });
  expect([resumed.code, stopped.code]).toEqual([0, 0]);
  return { resumed: resumed.output, stopped: stopped.output };
}

async function damaged({ data, store }: HookRig, text: string): Promise<void> {
  await store.close();
  const file = path.join(data, "holdfast.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  mkdirSync(data, { recursive: true });
  writeFileSync(`${file}.new`, text);
  cpSync(`${file}.new`, file);
}
