import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { createClient } from "../../packages/client/src/index.ts";
import { openCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import {
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let folder: string;
let repository: string;
let server: RunningServer;
let proxy: CuttingProxy;

/** Twice within the headers, twice within the events; then never again. */
const CUTS = [40, 300, 900, 2_500];

beforeEach(async () => {
  folder = temporaryFolder();
  repository = path.join(folder, "root", "shop");
  mkdirSync(path.join(repository, ".git"), { recursive: true });
  server = await startHoldfast({
    data: path.join(folder, "data"),
    env: { AGENT_WORKSPACE_ROOT: path.join(folder, "root") },
  });
  proxy = await openCuttingProxy(server.url, {
    bytesOf: (asked) => CUTS[asked] ?? Number.POSITIVE_INFINITY,
  });
});
afterEach(async () => {
  await proxy.close();
  await server.end("SIGKILL");
  removeFolder(folder);
});

describe("a client that follows a session of a real server", () => {
  it("has what reading shows when the agent is done, though its connection broke again and again (C7)", async () => {
    const client = createClient({
      url: server.url,
      fetch: (input, init) =>
        input instanceof URL && input.pathname.endsWith("/events")
          ? fetch(new URL(input.pathname, proxy.url), init)
          : fetch(input, init),
    });
    const repo = await client.repos.add({ path: repository });
    const { id } = await client.sessions.create({ repoId: repo.id });
    let followed: WholeSession | null = null;
    for await (const { session, event } of client.sessions.follow(id)) {
      followed = session;
      if (event === null) await client.sessions.send(id, { text: "Count to 25" });
      else if (event.type === "session" && session.state === "idle") break;
    }
    expect(followed).toEqual(await client.sessions.get(id));
    expect(followed?.messages.map(({ role }) => role)).toEqual(["user", "agent"]);
    expect(proxy.asked()).toBe(CUTS.length + 1);
  });
});
