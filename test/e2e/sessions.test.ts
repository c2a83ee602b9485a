import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  child,
  ignore,
  say,
  script,
  silent,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";
import { markedProcesses } from "./marked-processes.ts";

let folder: string;
let root: string;
let server: RunningServer;
let client: Client;

/** Starts a server with these settings of agents. */
async function open(agents: object = {}): Promise<void> {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  ({ folder, root } = prepareFolder({ providers, agents }));
  await start();
}
afterEach(async () => {
  await server.end("SIGTERM");
  for (const pid of agents()) process.kill(pid, "SIGKILL");
  removeFolder(folder);
});

async function start(): Promise<void> {
  const env = { AGENT_WORKSPACE_ROOT: root };
  server = await startHoldfast({ data: path.join(folder, "data"), env });
  client = createClient(server);
}

const agents = (): readonly number[] => markedProcesses(MARKER_VARIABLE, root);

async function startWork(...steps: readonly Step[]): Promise<string> {
  const repo = await client.repos.add({ path: "." });
  const { id } = await client.sessions.create({ repoId: repo.id, provider: "scripted" });
  await client.sessions.send(id, { text: script(say("started"), ...steps, silent()) });
  await until(id, ({ messages }) => messages.length >= 2);
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

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  beforeEach(() => open());

  it("suspends the sessions, kills agents that ignore signals, and ends the server in time (A8, P5)", async () => {
    const id = await startWork(
      ignore("cancel", "sigterm", "eof"),
      child({ how: "setsid", stubborn: true, seconds: 600 }),
    );
    const repo = await client.repos.add({ path: "." });
    const quiet = await client.sessions.create({ repoId: repo.id });
    expect(agents().length).toBeGreaterThanOrEqual(1);
    const begun = calmNow();
    const result = await server.end(signal);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(calmNow() - begun).toBeLessThan(10_000);
    expect(agents()).toEqual([]);
    const data = path.join(folder, "data");
    const stored = JSON.parse((await holdfast(["list", "--json", "--data", data])).stdout);
    expect(stored).toMatchObject([{ status: "suspended" }, { status: "suspended" }]);
    await start();
    for (const each of [id, quiet.id]) {
      expect(await client.sessions.get(each)).toMatchObject({ status: "active", state: "idle" });
    }
    const { messages } = await client.sessions.get(id);
    expect(messages.at(-1)?.content).toMatchObject({ notice: "run_interrupted" });
  });
});

describe("a server that starts after another was killed", () => {
  /** An agent that only SIGKILL ends, with a child in another process group. */
  const startStubbornWork = async (): Promise<string> => {
    const id = await startWork(
      ignore("cancel", "sigterm", "eof"),
      child({ how: "setsid", stubborn: true, seconds: 600 }),
    );
    await expect.poll(() => agents().length).toBeGreaterThanOrEqual(2);
    return id;
  };
  /** Something was left, and the next server ends it before it is ready. */
  const startsWithoutThem = async (id: string): Promise<void> => {
    expect(agents().length).toBeGreaterThanOrEqual(1);
    await start();
    expect(agents()).toEqual([]);
    await until(id, ({ state }) => state === "idle");
    expect((await client.sessions.runs(id)).runs).toMatchObject([{ status: "interrupted" }]);
  };

  it("kills the agents that the other left, in any process group (P5)", async () => {
    await open({ host: "inside" });
    const id = await startStubbornWork();
    await server.end("SIGKILL");
    await startsWithoutThem(id);
  });

  it("kills the agents that a killed agent host left, in any process group (P5)", async () => {
    await open();
    const id = await startStubbornWork();
    const file = path.join(folder, "data/host/host.json");
    const host: { readonly pid: number } = JSON.parse(readFileSync(file, "utf8"));
    await server.end("SIGKILL");
    process.kill(host.pid, "SIGKILL");
    await expect.poll(() => existsSync(`/proc/${host.pid}/exe`)).toBe(false);
    await startsWithoutThem(id);
  });

  it("returns the same response to a request repeated with its idempotency key (A6, P1)", async () => {
    await open();
    const repo = await client.repos.add({ path: "." });
    const session = { repoId: repo.id, provider: "scripted" };
    const message = { text: script(say("once")) };
    const key = (idempotencyKey: string) => ({ idempotencyKey });
    const created = await client.sessions.create(session, key("create"));
    const sent = await client.sessions.send(created.id, message, key("send"));
    await server.end("SIGKILL");
    await start();
    expect(await client.sessions.create(session, key("create"))).toEqual(created);
    expect(await client.sessions.send(created.id, message, key("send"))).toEqual(sent);
    await expect(
      client.sessions.send(created.id, { text: "another" }, key("send")),
    ).rejects.toMatchObject({ status: 422, code: "idempotency_key_reused" });
    const whole = await until(created.id, ({ state, queued }) => state === "idle" && queued === 0);
    expect(whole.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });
});

describe("a path outside the workspace root", () => {
  beforeEach(() => open());

  it("results in 403 and a line in the security log (A14)", async () => {
    for (const forbidden of ["/etc", "../..", "/proc/self/root/etc"]) {
      await expect(client.repos.add({ path: forbidden })).rejects.toMatchObject({
        status: 403,
        code: "path_outside_root",
      });
    }
    const log = path.join(folder, "data", "logs", "holdfast.log");
    const securityLines = (): readonly string[] =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.includes('"security":"workspace"'));
    await expect.poll(securityLines).toHaveLength(3);
    expect(securityLines()[0]).toContain('"path":"/etc"');
  });
});
