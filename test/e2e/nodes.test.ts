import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { ask, say, script, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  createTestDatabase,
  type TestDatabase,
} from "../../packages/server/src/storage/testing/test-database.ts";
import { resultOf, WITH_FORMS } from "../doors/mcp/raw-mcp.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
  type RunningServer,
} from "./holdfast-process.ts";

const CONFIG = {
  providers: { scripted: { type: "acp", command: scriptedCommand } },
  defaultProvider: "scripted",
  limits: { liveAgents: 2 },
  // Nodes report their work three times per lease.
  node: { leaseSeconds: 12 },
};
const { folder, data, root } = prepareFolder(CONFIG);
afterAll(() => removeFolder(folder));

describe("two nodes on one database", () => {
  const ACCESS = ["through a server", "directly on the database"] as const;
  let database: TestDatabase | null = null;
  let one: Node;
  let two: Node;

  beforeAll(async () => {
    database = await createTestDatabase("postgres");
    one = await start({ name: "one", url: databaseUrl() });
    two = await start({ name: "two", url: databaseUrl(), labels: "gpu, big" });
    const knows = async ({ client }: Node) => (await client.nodes.list()).nodes.length === 2;
    await vi.waitUntil(() => knows(one), { timeout: 200_000 });
  });
  afterAll(async () => {
    for (const { server } of [two, one]) await server.end("SIGTERM");
    await database?.remove();
  });

  function databaseUrl(): string {
    const location = database?.location;
    return location?.engine === "postgres" ? location.url : "";
  }

  /** Runs a command with this access to the nodes. */
  function run(
    access: (typeof ACCESS)[number],
    ...args: readonly string[]
  ): Promise<ProcessResult> {
    return access === "through a server"
      ? holdfast([...args, "--url", one.server.url], { HOLDFAST_TOKEN: one.server.token })
      : holdfast([...args, "--data", path.join(folder, "nobody"), "--database", databaseUrl()]);
  }

  it.each(ACCESS)("are listed %s, as lines for scripts or as JSON", async (access) => {
    const { code, stdout } = await run(access, "nodes");
    const id = expect.any(String);
    const version = expect.stringMatching(/^\d+\./u);
    const time = expect.stringMatching(/^\d{4}-.*Z$/u);
    const lines = stdout.trimEnd().split("\n");
    expect([code, lines.map((line) => line.split("\t"))]).toEqual([
      0,
      [
        ["one", id, "alive", "0/2", "", version, time],
        ["two", id, "alive", "0/2", "gpu,big", version, time],
      ],
    ]);
    expect(JSON.parse((await run(access, "nodes", "list", "--json")).stdout).nodes).toMatchObject([
      { name: "one", self: access === "through a server", alive: true, draining: false },
      { name: "two", self: false, labels: ["gpu", "big"], busy: 0 },
    ]);
  });

  it("both know the tasks of orchestrators, and either answers and cancels them (D6)", async () => {
    const repo = await one.client.repos.add({ path: root });
    const at = ({ server }: Node) => ({ ...server, capabilities: WITH_FORMS });
    const begin = async (on: Node, text: string): Promise<string> => {
      const { id: session } = await on.client.sessions.create({ repoId: repo.id });
      const call = { name: "send_message", arguments: { session, text } };
      return String((await resultOf(at(on), "tools/call", call))["taskId"]);
    };
    const get = (on: Node, taskId: string) => resultOf(at(on), "tasks/get", { taskId });
    const asking = await begin(one, script(ask({ id: "t1", title: "Write it" }), say("written")));
    await expect.poll(() => get(two, asking)).toMatchObject({ status: "input_required" });
    const [key = ""] = Object.keys((await get(two, asking))["inputRequests"] as object);
    const inputResponses = { [key]: { action: "accept", content: { answer: "allow" } } };
    await resultOf(at(two), "tasks/update", { taskId: asking, inputResponses });
    for (const node of [one, two])
      await expect.poll(() => get(node, asking)).toMatchObject({ status: "completed" });
    const endless = await begin(two, script(waitFor(path.join(root, "never"))));
    await resultOf(at(one), "tasks/cancel", { taskId: endless });
    await expect.poll(() => get(two, endless)).toMatchObject({ status: "cancelled" });
  });

  it.each(ACCESS)("are drained %s, awaited, and get work again", async (access) => {
    const gate = path.join(root, "gate");
    onTestFinished(() => rmSync(gate, { force: true }));
    // Another node shows this once the busy node has reported it.
    const busyOf = async ({ client }: Node) =>
      (await client.nodes.list()).nodes.filter(({ busy, self }) => busy > 0 && !self);
    const busy = async () =>
      [...(await busyOf(one)), ...(await busyOf(two))].map(({ name }) => name);
    // An earlier run may still be reported, now or in a moment.
    await expect.poll(busy).toEqual([]);
    const { id: repoId } = await one.client.repos.add({ path: root });
    const message = script(say("started"), waitFor(gate), say("done"));
    const { id } = await one.client.sessions.create({ repoId, message });
    // A node that is drained before it has started the work leaves it to the other.
    await expect
      .poll(async () => (await one.client.sessions.get(id)).messages.at(-1)?.content)
      .toMatchObject({ text: "started" });
    const nodes = async () => (await two.client.nodes.list()).nodes;
    const { owner } = (await one.client.sessions.raw(id)).row;
    const name = (await nodes()).find((node) => node.id === owner)?.name ?? "";
    await expect.poll(busy).toEqual([name]);
    const drain = (...args: readonly string[]) => run(access, "nodes", "drain", name, ...args);

    expect(await drain("--wait", "--timeout", "0.5")).toEqual({
      code: 2,
      stdout: "",
      stderr: `holdfast: ${name} is not drained yet: 1 agent is still working. It continues to drain.\n`,
    });
    expect(await drain()).toEqual({ code: 0, stdout: `${name} is draining.\n`, stderr: "" });
    await expect
      .poll(async () => (await run(access, "nodes")).stdout)
      .toMatch(new RegExp(`^${name}\t.*\tdraining\t1/`, "mu"));
    writeFileSync(gate, "");
    const drained = await drain("--wait", "--json");
    expect([drained.code, JSON.parse(drained.stdout)]).toMatchObject([
      0,
      { name, draining: true, drained: true, busy: 0 },
    ]);
    const { messages } = await one.client.sessions.get(id);
    expect(messages.at(-1)?.content).toMatchObject({ text: "starteddone" });
    expect((await drain()).stdout).toBe(`${name} is drained.\n`);
    expect(await drain("--undo")).toEqual({
      code: 0,
      stdout: `${name} accepts work again.\n`,
      stderr: "",
    });
    await expect.poll(async () => (await nodes()).some(({ draining }) => draining)).toBe(false);
  });

  it("cannot be drained by a name that no node, or more than one, has", async () => {
    const twin = await start({ name: "two", folderName: "twin", url: databaseUrl() });
    onTestFinished(async () => void (await twin.server.end("SIGTERM")));
    await expect.poll(async () => (await one.client.nodes.list()).nodes.length).toBe(3);
    const twinId = (await twin.client.nodes.list()).nodes.find(({ self }) => self)?.id ?? "";
    const hint = "Run `holdfast nodes` to see all nodes.\n";
    for (const access of ACCESS) {
      const drain = (name: string) => run(access, "nodes", "drain", name);
      expect(await drain("three")).toEqual({
        code: 1,
        stdout: "",
        stderr: `holdfast: No live node with that name or ID. ${hint}`,
      });
      expect(await drain("two")).toEqual({
        code: 2,
        stdout: "",
        stderr: `holdfast: 2 nodes have the name two. Use the ID. ${hint}`,
      });
      expect(await drain(twinId)).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

describe("nodes on a file", () => {
  const run = (...args: readonly string[]): Promise<ProcessResult> =>
    holdfast([...args, "--data", data]);

  it("are not listed while no server runs", async () => {
    expect(await run("nodes")).toMatchObject({ code: 1, stdout: "" });
    expect((await run("db", "migrate")).code).toBe(0);
    expect(await run("nodes")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await run("nodes", "--json")).stdout).toBe('{"jsonVersion":1,"nodes":[]}\n');
    expect(await run("nodes", "drain", "one")).toMatchObject({ code: 1, stdout: "" });
    expect(await run("nodes", "drain", "one", "--undo", "--wait")).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("'--undo' cannot be used with option '--wait'"),
    });
  });

  it("are selected by a repository's label, which can be set later", async () => {
    const add = async (...args: readonly string[]): Promise<object> =>
      JSON.parse(
        (
          await holdfast(["repos", "add", root, "--json", "--data", data, ...args], {
            AGENT_WORKSPACE_ROOT: root,
          })
        ).stdout,
      );
    const repo = await add();
    expect(repo).not.toHaveProperty("label");
    expect(await add("--label", "gpu")).toEqual({ ...repo, label: "gpu" });
    expect(await add()).toEqual({ ...repo, label: "gpu" });
    expect(await run("repos", "add", root, "--label", "two words")).toEqual({
      code: 64,
      stdout: "",
      stderr:
        "holdfast: --label must be 1 to 100 printable characters without spaces and commas.\n",
    });
  });

  it("are the one running server, which completion offers", async () => {
    const { server } = await start({ name: "one" });
    onTestFinished(async () => void (await server.end("SIGTERM")));
    const list = JSON.parse((await run("nodes", "--json")).stdout).nodes;
    expect(list).toMatchObject([{ name: "one", self: true, alive: true }]);
    const completion = await holdfast(["complete", "--", "nodes", "drain", ""], {
      HOLDFAST_DATA: data,
    });
    expect(completion.stdout.trim().split("\n")).toEqual([`one\t${list[0].id}`, ":4"]);
  });
});

interface Node {
  readonly server: RunningServer;
  readonly client: Client;
}

/** Starts a server on this database, or on its own SQLite file. */
async function start({
  name,
  folderName = name,
  url = "",
  labels = "",
}: {
  readonly name: string;
  /** Name of its data folder. */
  readonly folderName?: string;
  readonly url?: string;
  readonly labels?: string;
}): Promise<Node> {
  const server = await startHoldfast({
    data: folderName === "one" ? data : copyDataFolder(folderName),
    env: {
      AGENT_WORKSPACE_ROOT: root,
      HOLDFAST_DATABASE_URL: url,
      HOLDFAST_NODE_NAME: name,
      HOLDFAST_NODE_LABELS: labels,
    },
  });
  return { server, client: createClient(server) };
}

/** Creates a data folder with the same config file. */
function copyDataFolder(name: string): string {
  const other = path.join(folder, name);
  mkdirSync(other, { mode: 0o700 });
  const config = "holdfast.config.json";
  copyFileSync(path.join(data, config), path.join(other, config));
  return other;
}
