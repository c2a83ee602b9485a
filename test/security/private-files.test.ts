import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { say, script, shell } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

let folder: string;
let data: string;
let root: string;
let server: RunningServer | null;
beforeEach(() => {
  ({ folder, data, root } = prepareFolder({
    providers: { scripted: { type: "acp", command: scriptedCommand } },
    defaultProvider: "scripted",
  }));
  server = null;
});
afterEach(async () => {
  await server?.end("SIGKILL");
  removeFolder(folder);
});

/** A umask under which everything is open, unless the program says otherwise. */
async function start(umask = "000"): Promise<Client> {
  server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root }, umask });
  return createClient(server);
}

async function stop(): Promise<void> {
  await server?.end("SIGTERM");
  server = null;
}

function modeOf(file: string): string {
  return (lstatSync(file).mode & 0o777).toString(8);
}

/** Files and folders that the group or others can use, with their modes. */
function openEntries(): readonly string[] {
  const entries = readdirSync(data, { recursive: true, encoding: "utf8" });
  expect(entries).toContain("holdfast.db");
  return [data, ...entries.map((name) => path.join(data, name))]
    .filter((entry) => (lstatSync(entry).mode & 0o077) !== 0)
    .map((entry) => `${modeOf(entry)} ${path.relative(folder, entry)}`);
}

async function converse(client: Client): Promise<string> {
  const { id: repoId } = await client.repos.add({ path: root });
  const { id } = await client.sessions.create({ repoId });
  await client.sessions.send(id, {
    text: script(shell("mkdir made; touch made/file"), say("done")),
  });
  const signal = AbortSignal.timeout(60_000);
  for await (const { session } of client.sessions.follow(id, { signal })) {
    if (session.state === "idle" && session.messages.length > 1) return id;
  }
  throw new Error("the run did not end");
}

describe("the files of a server", () => {
  it("are for their owner only: database, write-ahead log, logs, journals, bundles and locks", async () => {
    const client = await start();
    const id = await converse(client);
    expect(readdirSync(path.join(data, "journals"))).toEqual([`${id}.jsonl`]);
    expect(readdirSync(data)).toEqual(
      expect.arrayContaining(["holdfast.db-wal", "holdfast.db-shm", "server.lock", "server.json"]),
    );
    expect(openEntries()).toEqual([]);
    const env = { HOLDFAST_DATA: data };
    const cleaned = await holdfast(
      ["cleanup", "--hours", "0", "--conversations", "--yes", "--data", data],
      env,
    );
    expect(cleaned.stderr).toBe("");
    const backup = path.join(data, "copy.db");
    expect(await holdfast(["db", "backup", backup, "--data", data], env)).toMatchObject({
      code: 0,
    });
    expect(openEntries()).toEqual([]);
    await stop();
    expect(openEntries()).toEqual([]);
  });

  it("are closed when an earlier version left them open, and so is the folder", async () => {
    await start();
    await stop();
    chmodSync(data, 0o755);
    for (const name of readdirSync(data)) chmodSync(path.join(data, name), 0o755);
    await start();
    expect(openEntries()).toEqual([]);
  });

  it("leave the umask of the user to agents, which work on the user's files", async () => {
    await converse(await start("002"));
    const made = path.join(root, "made");
    expect([modeOf(made), modeOf(path.join(made, "file"))]).toEqual(["775", "664"]);
  });
});

describe("a folder that others can open", () => {
  it.each([
    ["is shared, like /tmp", 0o1777],
    ["contains other files", 0o755],
  ])("is refused in one line, and left as it is, if it %s", async (_, mode) => {
    const shared = path.join(folder, "shared");
    mkdirSync(shared);
    writeFileSync(path.join(shared, "letter.txt"), "");
    chmodSync(shared, mode);
    const { code, stderr } = await holdfast(["serve", "--port", "0", "--data", shared]);
    expect(stderr.trim().split("\n")).toEqual([
      `holdfast: Other users can open the data folder ${shared} (mode ${mode.toString(8)}), and it cannot be closed: it contains other files. Run: chmod 700 ${shared}, or choose another folder with --data, such as ${shared}/holdfast.`,
    ]);
    expect(code).toBe(2);
    expect(lstatSync(shared).mode & 0o7777).toBe(mode);
    expect(readdirSync(shared)).toEqual(["letter.txt"]);
  });
});
