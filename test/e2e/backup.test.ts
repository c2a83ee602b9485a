import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { ask, say, script, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type PreparedFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let prepared: PreparedFolder;
let server: RunningServer;
let client: Client;

beforeEach(async () => {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  prepared = prepareFolder({ providers, defaultProvider: "scripted" });
  await start(prepared.data);
});
afterEach(async () => {
  await server.end("SIGKILL");
  removeFolder(prepared.folder);
});

async function start(data: string): Promise<void> {
  server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: prepared.root } });
  client = createClient(server);
}

describe("holdfast db backup", () => {
  it("saves a busy server's database, and another server started with the copy continues (P1)", async () => {
    const { folder, data } = prepared;
    const repo = await client.repos.add({ path: "." });
    const { id: waiting } = await client.sessions.create({ repoId: repo.id });
    const { id: working } = await client.sessions.create({ repoId: repo.id });
    await client.sessions.send(waiting, { text: script(ask({ id: "t1", title: "make" })) });
    await client.sessions.send(working, {
      text: script(say("started"), waitFor(path.join(folder, "never"))),
    });
    for await (const { session } of client.sessions.follow(waiting))
      if (session.state === "suspended") break;
    for await (const { session } of client.sessions.follow(working))
      if (session.messages.length > 1) break;

    const file = path.join(folder, "saved.db");
    const backup = await holdfast(["db", "backup", file, "--data", data, "--json"]);
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(backup.stdout)).toMatchObject({
      file,
      tables: expect.arrayContaining([{ table: "AgentSession", rows: 2 }]),
    });
    expect(await holdfast(["db", "backup", file, "--data", data])).toEqual({
      code: 2,
      stdout: "",
      stderr: `holdfast: ${file} already exists and is not overwritten. Choose another name.\n`,
    });

    // Later changes are not in the backup.
    const before = await client.sessions.get(waiting);
    await client.sessions.cancel(waiting);
    await server.end("SIGKILL");
    const other = path.join(folder, "restored");
    mkdirSync(other, { mode: 0o700 });
    for (const name of readdirSync(data).filter((each) => each === "holdfast.config.json"))
      copyFileSync(path.join(data, name), path.join(other, name));
    copyFileSync(file, path.join(other, "holdfast.db"));
    await start(other);

    const after = await client.sessions.get(waiting);
    expect(after).toMatchObject({ state: "suspended", suspensions: before.suspensions });
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    const interrupted = await client.sessions.get(working);
    expect(interrupted.messages.map(({ role }) => role)).toContain("user");
    const [suspension] = after.suspensions;
    await client.sessions.answer(waiting, {
      suspensionId: suspension?.id ?? "",
      answer: "allow",
    });
    for await (const { session } of client.sessions.follow(waiting))
      if (session.state === "idle") break;
    const { runs } = await client.sessions.runs(working);
    expect(runs.map(({ status }) => status)).toEqual(["interrupted"]);
  });

  it("refers to pg_dump for PostgreSQL", async () => {
    const url = "postgres://me:secret@db.example/holdfast";
    const { code, stderr } = await holdfast(["db", "backup", "x.db", "--database", url]);
    expect(code).toBe(2);
    expect(stderr).toContain("pg_dump --format=custom");
    expect(stderr).not.toContain("secret");
  });
});
