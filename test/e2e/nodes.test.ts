import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
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

const CONFIG = {
  providers: { scripted: { type: "acp", command: scriptedCommand } },
  defaultProvider: "scripted",
  limits: { liveAgents: 2 },
};
const { folder, data, root } = prepareFolder(CONFIG);
afterAll(() => removeFolder(folder));

describe("two nodes on one database", () => {
  const WAYS = ["through a server", "directly on the database"] as const;
  let database: TestDatabase | null = null;
  let one: Node;
  let two: Node;

  beforeAll(async () => {
    database = await createTestDatabase("postgres");
    one = await start({ name: "one", url: databaseUrl() });
    two = await start({ name: "two", url: databaseUrl(), labels: "gpu, big" });
    const knows = async ({ client }: Node) => (await client.nodes.list()).nodes.length === 2;
    await vi.waitUntil(() => knows(one), { timeout: 30_000 });
  });
  afterAll(async () => {
    for (const { server } of [two, one]) await server.end("SIGTERM");
    await database?.remove();
  });

  function databaseUrl(): string {
    const location = database?.location;
    return location?.engine === "postgres" ? location.url : "";
  }

  /** A command that is told how to reach the nodes. */
  function run(way: (typeof WAYS)[number], ...args: readonly string[]): Promise<Ended> {
    return way === "through a server"
      ? holdfast([...args, "--url", one.server.url])
      : holdfast([...args, "--data", path.join(folder, "nobody"), "--database", databaseUrl()]);
  }

  it.each(WAYS)("are listed %s, line by line for scripts, or as JSON", async (way) => {
    const { code, stdout } = await run(way, "nodes");
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
    expect(JSON.parse((await run(way, "nodes", "list", "--json")).stdout)).toMatchObject([
      { name: "one", self: way === "through a server", alive: true, draining: false },
      { name: "two", self: false, labels: ["gpu", "big"], busy: 0 },
    ]);
  });

  it.each(WAYS)("are drained %s, awaited, and accept work again", async (way) => {
    const gate = path.join(root, "gate");
    onTestFinished(() => rmSync(gate, { force: true }));
    const { id: repoId } = await one.client.repos.add({ path: root });
    const message = script(say("begun"), waitFor(gate), say("done"));
    const { id } = await one.client.sessions.create({ repoId, message });
    // A node that is drained before it has begun leaves the work to the other.
    await expect
      .poll(async () => (await one.client.sessions.get(id)).messages.at(-1)?.content)
      .toMatchObject({ text: "begun" });
    const nodes = async () => (await two.client.nodes.list()).nodes;
    // Another node shows it once the busy one has said so.
    const busyOf = async ({ client }: Node) =>
      (await client.nodes.list()).nodes.find(({ busy, self }) => busy > 0 && !self)?.name ?? null;
    const busy = async () => (await busyOf(one)) ?? (await busyOf(two));
    await expect.poll(busy).not.toBeNull();
    const name = (await busy()) ?? "";
    const drain = (...args: readonly string[]) => run(way, "nodes", "drain", name, ...args);

    expect(await drain("--wait", "--timeout", "0.5")).toEqual({
      code: 2,
      stdout: "",
      stderr: `holdfast: ${name} is not drained yet: 1 agent is still working. It continues to drain.\n`,
    });
    expect(await drain()).toEqual({ code: 0, stdout: `${name} is draining.\n`, stderr: "" });
    await expect
      .poll(async () => (await run(way, "nodes")).stdout)
      .toMatch(new RegExp(`^${name}\t.*\tdraining\t1/`, "mu"));
    writeFileSync(gate, "");
    const drained = await drain("--wait", "--json");
    expect([drained.code, JSON.parse(drained.stdout)]).toMatchObject([
      0,
      { name, draining: true, drained: true, busy: 0 },
    ]);
    const { messages } = await one.client.sessions.get(id);
    expect(messages.at(-1)?.content).toMatchObject({ text: "begundone" });
    expect((await drain()).stdout).toBe(`${name} is drained.\n`);
    expect(await drain("--undo")).toEqual({
      code: 0,
      stdout: `${name} accepts work again.\n`,
      stderr: "",
    });
    await expect.poll(async () => (await nodes()).some(({ draining }) => draining)).toBe(false);
  });

  it("are refused when no node or several nodes have the name", async () => {
    const twin = await start({ name: "two", own: "twin", url: databaseUrl() });
    onTestFinished(async () => void (await twin.server.end("SIGTERM")));
    await expect.poll(async () => (await one.client.nodes.list()).nodes.length).toBe(3);
    const twinId = (await twin.client.nodes.list()).nodes.find(({ self }) => self)?.id ?? "";
    const see = "Run `holdfast nodes` to see all nodes.\n";
    for (const way of WAYS) {
      const drain = (name: string) => run(way, "nodes", "drain", name);
      expect(await drain("three")).toEqual({
        code: 1,
        stdout: "",
        stderr: `holdfast: No live node with that name or ID. ${see}`,
      });
      expect(await drain("two")).toEqual({
        code: 2,
        stdout: "",
        stderr: `holdfast: 2 nodes have the name two. Use the ID. ${see}`,
      });
      expect(await drain(twinId)).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

describe("nodes on a file", () => {
  const run = (...args: readonly string[]): Promise<Ended> => holdfast([...args, "--data", data]);

  it("are not listed while no server runs", async () => {
    expect(await run("nodes")).toMatchObject({ code: 1, stdout: "" });
    expect((await run("db", "migrate")).code).toBe(0);
    expect(await run("nodes")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await run("nodes", "--json")).stdout).toBe("[]\n");
    expect(await run("nodes", "drain", "one")).toMatchObject({ code: 1, stdout: "" });
    expect(await run("nodes", "drain", "one", "--undo", "--wait")).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("'--undo' cannot be used with option '--wait'"),
    });
  });

  it("are selected by the label of a repository, which can be added later", async () => {
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
      stderr: "holdfast: label: must be 1 to 100 printable characters without spaces and commas\n",
    });
  });

  it("are only the running server, which completion offers", async () => {
    const { server } = await start({ name: "one" });
    onTestFinished(async () => void (await server.end("SIGTERM")));
    const list = JSON.parse((await run("nodes", "--json")).stdout);
    expect(list).toMatchObject([{ name: "one", self: true, alive: true }]);
    const offered = await holdfast(["complete", "--", "nodes", "drain", ""], {
      HOLDFAST_DATA: data,
    });
    expect(offered.stdout.trim().split("\n")).toEqual([`one\t${list[0].id}`, ":4"]);
  });
});

interface Node {
  readonly server: RunningServer;
  readonly client: Client;
}

/** A server on that database, or on a file of its own. */
async function start({
  name,
  own = name,
  url = "",
  labels = "",
}: {
  readonly name: string;
  /** Its data folder. */
  readonly own?: string;
  readonly url?: string;
  readonly labels?: string;
}): Promise<Node> {
  const server = await startHoldfast({
    data: own === "one" ? data : likeData(own),
    env: {
      AGENT_WORKSPACE_ROOT: root,
      HOLDFAST_DATABASE_URL: url,
      HOLDFAST_NODE_NAME: name,
      HOLDFAST_NODE_LABELS: labels,
    },
  });
  return { server, client: createClient({ url: server.url }) };
}

/** A data folder with the same config file. */
function likeData(name: string): string {
  const other = path.join(folder, name);
  mkdirSync(other, { mode: 0o700 });
  const config = "holdfast.config.json";
  copyFileSync(path.join(data, config), path.join(other, config));
  return other;
}
