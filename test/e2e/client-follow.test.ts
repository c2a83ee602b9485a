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

/** Cuts two connections within the headers, then others at many positions within the events, and finally none. */
const CUTS = [40, 300, ...Array.from({ length: 24 }, (_, index) => 700 + 190 * index)];

beforeEach(async () => {
  folder = temporaryFolder();
  repository = path.join(folder, "root", "shop");
  mkdirSync(path.join(repository, ".git"), { recursive: true });
  server = await startHoldfast({
    data: path.join(folder, "data"),
    env: { AGENT_WORKSPACE_ROOT: path.join(folder, "root") },
  });
  proxy = await openCuttingProxy(server.url, {
    bytesOf: (connection) => CUTS[connection] ?? Number.POSITIVE_INFINITY,
  });
});
afterEach(async () => {
  await proxy.close();
  await server.end("SIGKILL");
  removeFolder(folder);
});

describe("a client that follows a session of a real server", () => {
  it("ends with the stored session, and never gets text before its message, although its connection broke repeatedly (C7)", async () => {
    let reads = 0;
    const client = createClient({
      ...server,
      fetch: (input, init) => {
        if (!(input instanceof URL)) return fetch(input, init);
        if (/\/api\/sessions\/[^/]+$/u.test(input.pathname)) reads += 1;
        if (!input.pathname.endsWith("/events")) return fetch(input, init);
        return fetch(new URL(input.pathname, proxy.url), init);
      },
    });
    const repo = await client.repos.add({ path: repository });
    const { id } = await client.sessions.create({ repoId: repo.id });
    // A second reader keeps the current text in the server's memory, in addition to the store.
    const steady = createClient(server);
    const isDone = ({ queued, state }: WholeSession): boolean => queued === 0 && state === "idle";
    const untilDone = async (): Promise<void> => {
      for await (const { session, event } of steady.sessions.follow(id))
        if (event?.type === "session" && isDone(session)) return;
    };
    const watching = untilDone();
    let followed: WholeSession | null = null;
    for await (const { session, event } of client.sessions.follow(id)) {
      followed = session;
      if (event === null)
        for (const text of ["Count to 25", "Count to 9", "Count to 12"])
          await steady.sessions.send(id, { text });
      else if (event.type === "session" && isDone(session)) break;
    }
    await watching;
    expect(followed).toEqual(await steady.sessions.get(id));
    const turns = Array.from({ length: 3 }, () => ["user", "agent"]).flat();
    expect(followed?.messages.map(({ role }) => role)).toEqual(turns);
    // Only the initial read: a client that gets text without its message reads the session again.
    expect(reads).toBe(1);
    expect(proxy.connections()).toBeGreaterThan(10);
  });
});
