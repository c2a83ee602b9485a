import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import * as examples from "../../packages/client/src/testing/examples.ts";
import {
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let folder: string;
let repository: string;
const running: RunningServer[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  repository = path.join(folder, "root", "shop");
  mkdirSync(path.join(repository, ".git"), { recursive: true });
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of running.splice(0)) await server.end("SIGKILL");
  removeFolder(folder);
});

/** Starts a server with its own data. All servers share the workspace. */
async function start(name: string): Promise<Client> {
  const server = await startHoldfast({
    data: path.join(folder, name),
    env: { HOLDFAST_TOKEN: "s3cret", AGENT_WORKSPACE_ROOT: path.join(folder, "root") },
  });
  running.push(server);
  return createClient({ url: server.url, token: "s3cret" });
}

describe("the client's README", () => {
  it("is correct for a real server, example by example", async () => {
    const client = await start("first");
    const printed: unknown[][] = [];
    vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(values));

    const conversation = examples.talk(client, repository);
    const open = async (): Promise<number> => (await client.suspensions()).suspensions.length;
    await expect.poll(open).toBe(1);
    await examples.answerPermissions(client);
    await conversation;
    expect(printed).toContainEqual([
      "waits for",
      expect.objectContaining({ title: expect.any(String) }),
    ]);

    const id = (await client.sessions.list()).sessions[0]?.id ?? "";
    await examples.manageSessions(client, id);
    expect(await client.sessions.get(id)).toMatchObject({
      title: "Fixed tests",
      metadata: { ticket: 42 },
    });

    const stop = new AbortController();
    const watching = [
      examples.watchOne(client, id, stop.signal),
      examples.watchAll(client, stop.signal),
    ];
    printed.length = 0;
    await examples.sendMessages(client, id);
    const hasPrinted = (values: unknown[]): boolean =>
      printed.some((line) => JSON.stringify(line) === JSON.stringify(values));
    await expect.poll(() => hasPrinted(["completed", "end_turn"])).toBe(true);
    await expect.poll(() => hasPrinted([id, "active", "idle"])).toBe(true);
    stop.abort();
    await Promise.all(watching);

    await client.sessions.update(id, { delivery: "hold" });
    await client.sessions.send(id, { text: "Later." });
    await examples.editQueue(client, id);
    expect(await client.sessions.queue(id)).toEqual({ queue: [] });

    const other = await start("second");
    await other.repos.add({ path: repository });
    await examples.moveSession(client, other, id);
    expect((await other.sessions.get(id)).messages).toEqual(
      (await client.sessions.get(id)).messages,
    );

    await examples.lookAround(client);
    await examples.endSessions(client, id);
    printed.length = 0;
    await examples.handleErrors(client, id);
    expect(printed).toEqual([["put away"]]);
  });
});

describe("the client", () => {
  it("offers further methods that its README does not show", async () => {
    const client = await start("first");
    expect(await client.metrics()).toContain("holdfast_");
    const repo = await client.repos.add({ path: repository, name: "Shop" });
    expect(await client.repos.list()).toEqual({ repos: [repo] });

    const { id } = await client.sessions.create({ repoId: repo.id });
    await expect(client.repos.remove(repo.id)).rejects.toMatchObject({ code: "repository_in_use" });
    expect(await client.sessions.prompt(id, "Hello")).toMatchObject({
      message: { sessionId: id, role: "user", content: { type: "text", text: "Hello" } },
    });
    expect(await client.sessions.resume(id)).toMatchObject({ id, status: "active" });
    expect(await client.sessions.fail(id, { reason: "broken" })).toMatchObject({
      status: "error",
      failure: "broken",
    });
    await client.sessions.delete(id);
    expect(await client.repos.remove(repo.id)).toEqual(repo);
    await expect(client.sessions.get(id)).rejects.toMatchObject({ code: "session_not_found" });
  });
});
