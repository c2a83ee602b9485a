import { existsSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import {
  holdfast,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let folder: string;
let data: string;
let socketPath: string;
let server: RunningServer | null;
beforeEach(() => {
  folder = temporaryFolder();
  useFolder(path.join(folder, "data"));
  server = null;
});
afterEach(async () => {
  await server?.end("SIGKILL");
  removeFolder(folder);
});

function useFolder(name: string): void {
  data = name;
  socketPath = path.join(data, "holdfast.sock");
}

async function start(env: Record<string, string> = {}): Promise<RunningServer> {
  const root = { AGENT_WORKSPACE_ROOT: folder };
  return (server = await startHoldfast({ data, env: { ...root, ...env } }));
}

async function end(signal: NodeJS.Signals): Promise<void> {
  await server?.end(signal);
  server = null;
}

function statusWith(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: "/api/sessions", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once("error", reject)
      .end();
  });
}

describe("the Unix socket of a server", () => {
  it("serves the whole API without a token, to its owner only", async () => {
    await start();
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    const client = createClient({ socketPath });
    expect(await client.ownToken()).toEqual({
      name: null,
      scope: "admin",
      sessionId: null,
      expiresAt: null,
    });
    const { id } = await client.sessions.create({ title: "On the socket" });
    const stop = new AbortController();
    for await (const { session } of client.sessions.follow(id, { signal: stop.signal })) {
      expect(session.title).toBe("On the socket");
      break;
    }
    const lines: string[] = [];
    for await (const line of client.sessions.export(id)) lines.push(line);
    const imported = createClient({ socketPath });
    await client.sessions.delete(id);
    expect((await imported.sessions.import(lines.join("\n"))).title).toBe("On the socket");
    await expect(client.sessions.get("missing")).rejects.toMatchObject({
      code: "session_not_found",
    });
    stop.abort();
    await expect(client.health({ signal: stop.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("refuses names of other machines and pages of other sites", async () => {
    await start();
    expect(await statusWith({ host: "localhost" })).toBe(200);
    expect(await statusWith({ host: "evil.example" })).toBe(403);
    expect(await statusWith({ host: "localhost", origin: "http://evil.example" })).toBe(403);
    expect(await statusWith({ host: "localhost", authorization: "Bearer wrong" })).toBe(401);
  });

  it("is used by commands on the data folder, also if the server has a token that they do not know", async () => {
    await start({ HOLDFAST_TOKEN: "s3cret" });
    const created = await holdfast([
      "create",
      "--no-repo",
      "--title",
      "By command",
      "--data",
      data,
    ]);
    expect(created).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(path.join(data, "token"))).toBe(false);
  });

  it("goes with a clean stop, and replaces the one that a killed server left", async () => {
    await start();
    await end("SIGKILL");
    expect(existsSync(socketPath)).toBe(true);
    await expect(createClient({ socketPath }).health()).rejects.toMatchObject({
      message: expect.stringContaining("ECONNREFUSED"),
    });
    await start();
    expect(await createClient({ socketPath }).health()).toMatchObject({ status: "ok" });
    await end("SIGTERM");
    expect(existsSync(socketPath)).toBe(false);
  });

  it("is left out where its path is too long; commands then use the token file", async () => {
    useFolder(path.join(folder, "x".repeat(120)));
    await start();
    expect(existsSync(socketPath)).toBe(false);
    // The log is written in the background.
    await expect
      .poll(() => readFileSync(path.join(data, "logs", "holdfast.log"), "utf8"))
      .toContain("there is no Unix socket");
    expect(await holdfast(["nodes", "--json", "--data", data])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"self":true'),
    });
  });
});
