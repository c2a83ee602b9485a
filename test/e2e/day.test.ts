import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, HoldfastError, type Client } from "../../packages/client/src/index.ts";
import type { Message, WholeSession } from "../../packages/protocol/src/index.ts";
import { say, script, silent } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CLOCK = pathToFileURL(path.resolve(import.meta.dirname, "later-clock.mjs")).href;

let folder: string;
let data: string;
let root: string;
let server: RunningServer | null = null;
let client: Client;
/** How far the clocks of the server and the commands are ahead. */
let aheadMs = 0;

beforeEach(() => {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  // Without a server, agents are ended at once instead of after two minutes.
  const agents = { unattendedSeconds: 0 };
  ({ folder, data, root } = prepareFolder({ providers, defaultProvider: "scripted", agents }));
  for (const name of ["kept", "lost"])
    mkdirSync(path.join(root, name, ".git"), { recursive: true });
  aheadMs = 0;
});
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
  removeFolder(folder);
});

const environment = (): Record<string, string> => ({
  AGENT_WORKSPACE_ROOT: root,
  NODE_OPTIONS: `--import ${CLOCK}`,
  TEST_CLOCK_AHEAD_MS: String(aheadMs),
});

async function start(): Promise<void> {
  server = await startHoldfast({ data, env: environment() });
  client = createClient(server);
}

async function stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  await server?.end(signal);
  server = null;
}

/** Runs a command with the shifted clock. */
async function run(
  args: readonly string[],
  { folder: at = data, input = "" } = {},
): Promise<string> {
  const { code, stdout, stderr } = await holdfast([...args, "--data", at], environment(), input);
  if (code !== 0) throw new Error(`holdfast ${args.join(" ")} exited with ${code}: ${stderr}`);
  return stdout;
}

async function preDelegate(agent: string): Promise<unknown> {
  const input = JSON.stringify({ agent_name: agent });
  return JSON.parse(await run(["hook", "pre-delegate"], { input }));
}

async function chat(repository: string, text: string): Promise<string> {
  const repo = await client.repos.add({ path: repository });
  const { id } = await client.sessions.create({ repoId: repo.id, title: `In ${repository}` });
  await client.sessions.send(id, { text: script(say(text)) });
  await until(id, ({ state, messages }) => state === "idle" && messages.length >= 2);
  return id;
}

async function until(
  id: string,
  condition: (session: WholeSession) => boolean,
): Promise<WholeSession> {
  for await (const { session } of client.sessions.follow(id))
    if (condition(session)) return session;
  throw new Error("the session was deleted");
}

/** Returns too if it was deleted before the stream began. */
async function untilGone(id: string): Promise<void> {
  const updates = client.sessions.follow(id);
  try {
    while ((await updates.next()).done !== true) continue;
  } catch (error) {
    if (!(error instanceof HoldfastError && error.status === 404)) throw error;
  }
}

/** The agent host has ended the agents, and itself. */
async function untilHostLeft(): Promise<void> {
  const file = path.join(data, "host", "host.json");
  const { socket }: { readonly socket: string } = JSON.parse(readFileSync(file, "utf8"));
  await expect.poll(() => existsSync(socket)).toBe(false);
}

async function storedIds(): Promise<readonly string[]> {
  const { sessions } = await client.sessions.list({
    status: ["active", "suspended", "archived", "error"],
    limit: 100,
  });
  return sessions.map(({ id, agentId }) => agentId ?? id).toSorted();
}

/** The times and messages of the sessions. */
async function summarize(ids: readonly string[]) {
  const sessions = await Promise.all(ids.map((id) => client.sessions.get(id)));
  return sessions.map(({ id, lastActiveAt, createdAt, messages }) => ({
    id,
    lastActiveAt,
    createdAt,
    content: messages.map(({ role, content }) => [role, content]),
  }));
}

describe("a day in the life", () => {
  it("rulings 14–17: no conversation is lost, and all times are correct", async () => {
    // In the morning, external agents report by commands and hooks, and people chat.
    await start();
    await run(["create", "--id", "agent-old", "--agent", "builder"]);
    await run(["create", "--id", "agent-alive", "--agent", "planner"]);
    await run(["update", "agent-alive", "--phase", "planning"]);
    expect(await preDelegate("planner")).toMatchObject({
      should_resume: true,
      agent_id: "agent-alive",
    });
    const chats = [await chat("kept", "Good morning."), await chat("lost", "Good day.")];
    const [kept = "", lost = ""] = chats;
    const morning = await summarize([...chats, "agent-old", "agent-alive"]);

    // The server is stopped for the night. Conversations are suspended; the agents' sessions stay active.
    await stop("SIGTERM");
    const atNight = JSON.parse(await run(["list", "--json"])) as {
      agent_id: string;
      status: string;
    }[];
    expect(new Map(atNight.map(({ agent_id, status }) => [agent_id, status]))).toEqual(
      new Map([
        [kept, "suspended"],
        [lost, "suspended"],
        ["agent-old", "active"],
        ["agent-alive", "active"],
      ]),
    );

    // The next morning everything is active with unchanged times. Yesterday's plan is too old to resume.
    aheadMs = 25 * HOUR_MS;
    await start();
    expect(await summarize([...chats, "agent-old", "agent-alive"])).toEqual(morning);
    for (const id of chats)
      expect(await client.sessions.get(id)).toMatchObject({ status: "active", suspendedAt: null });
    expect(await preDelegate("planner")).toMatchObject({ should_resume: false });

    // An update with the same phase serves as a heartbeat. Then the cleanup that cron runs.
    await run(["update", "agent-alive", "--phase", "planning"]);
    expect(await preDelegate("planner")).toMatchObject({ should_resume: true });
    expect(JSON.parse(await run(["cleanup", "--hours", "24"]))).toMatchObject({
      removed: 1,
      kept: { conversations: 2 },
    });
    expect(await storedIds()).toEqual(["agent-alive", ...chats].toSorted());

    // A crash in the middle of an answer, and an hour without a server. The agent host does not wait that long.
    await client.sessions.send(kept, { text: script(say("I was just about"), silent()) });
    const isSaid = ({ content }: Message): boolean => content["text"] === "I was just about";
    await until(kept, ({ messages }) => messages.some(isSaid));
    await stop("SIGKILL");
    await untilHostLeft();
    aheadMs = 26 * HOUR_MS;
    await start();
    await until(kept, ({ state }) => state === "idle");
    // Who follows a session may get the end of the run before the notice.
    const { status, messages } = await client.sessions.get(kept);
    expect(status).toBe("active");
    expect(messages.filter(isSaid)).toHaveLength(1);
    expect(messages.at(-1)?.content).toMatchObject({
      notice: "run_interrupted",
      text: expect.stringContaining("the server was away for too long"),
    });
    await client.sessions.send(kept, { text: script(say("And on.")) });
    // The message itself is there before its run has begun.
    await until(
      kept,
      ({ state, messages }) => state === "idle" && messages.at(-1)?.content["text"] === "And on.",
    );
    const evening = await summarize([kept, lost]);
    expect(evening[1]).toEqual(morning[1]);

    // A repository disappears. Its session shows the reason and the time of its removal.
    await stop("SIGTERM");
    renameSync(path.join(root, "lost"), path.join(root, "elsewhere"));
    await start();
    const stuck = await client.sessions.get(lost);
    expect(stuck).toMatchObject({
      status: "suspended",
      suspendedReason: expect.stringContaining("Its repository cannot be used"),
    });
    expect(Date.parse(stuck.removeAt ?? "")).toBeGreaterThan(Date.parse(stuck.suspendedAt ?? ""));

    // Much later the daily cleanup exports it to a bundle and removes it, and nothing else.
    await stop("SIGTERM");
    aheadMs = 40 * DAY_MS;
    await start();
    await untilGone(lost);
    expect(await storedIds()).toEqual(["agent-alive", kept].toSorted());
    expect(JSON.parse(await run(["removed", "--json"])).removed).toMatchObject([
      { id: lost, title: "In lost", repoPath: path.join(root, "lost") },
    ]);
    await run(["restore", lost]);
    expect(await summarize([kept, lost])).toEqual(evening);
    expect((await client.removed.list()).removed).toEqual([]);

    // Everything moves to another machine.
    const bundles = path.join(folder, "bundles");
    await run(["export", kept, lost, "--to", bundles]);
    await stop("SIGTERM");
    const elsewhere = path.join(folder, "other-data");
    const files = readdirSync(bundles).map((name) => path.join(bundles, name));
    await run(["import", ...files], { folder: elsewhere });
    server = await startHoldfast({ data: elsewhere, env: environment() });
    client = createClient(server);
    const moved = await summarize([kept, lost]);
    expect(moved.map(({ content: _, ...times }) => times)).toEqual(
      evening.map(({ content: _, ...times }) => times),
    );
    for (const [index, { content }] of moved.entries())
      expect(content).toEqual(expect.arrayContaining(evening[index]?.content ?? []));
  });
});
