import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { calmMsOf } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { mcp, script, shell, silent } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  leavesBehind,
  SECRET,
  needSandbox,
} from "../../packages/server/src/providers/sandbox/testing/sandbox-world.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type PreparedFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let prepared: PreparedFolder;
let home: string;
let server: RunningServer | null;
let client: Client;

beforeEach(() => {
  prepared = prepareFolder({});
  configure({});
  home = path.join(prepared.folder, "home");
  mkdirSync(home);
  writeFileSync(path.join(home, "notes"), SECRET);
  server = null;
});
afterEach(async () => {
  await server?.end("SIGKILL");
  removeFolder(prepared.folder);
});

/** With these settings of agents. */
function configure(agents: object): void {
  const scripted = { type: "acp", command: scriptedCommand };
  const config = { providers: { scripted }, sandbox: "required", agents };
  writeFileSync(path.join(prepared.data, "holdfast.config.json"), JSON.stringify(config));
}

async function start(env: Record<string, string> = {}): Promise<RunningServer> {
  const { data, root } = prepared;
  const token = "s3cret";
  server = await startHoldfast({
    data,
    env: { AGENT_WORKSPACE_ROOT: root, HOLDFAST_TOKEN: token, HOME: home, ...env },
  });
  client = createClient({ url: server.url, token });
  return server;
}

/** A PATH without bubblewrap. */
const withoutBubblewrap = (): Record<string, string> => ({
  PATH: path.join(prepared.folder, "bin"),
});

async function ask(provider: string, text: string): Promise<WholeSession> {
  const repo = await client.repos.add({ path: "." });
  const { id } = await client.sessions.create({ repoId: repo.id, provider });
  await client.sessions.send(id, { text });
  return untilIdle(id);
}

async function untilIdle(id: string): Promise<WholeSession> {
  for await (const { session } of client.sessions.follow(id))
    if (session.state === "idle" && session.messages.length > 1) return session;
  throw new Error("the session was deleted");
}

const texts = ({ messages }: WholeSession): string => JSON.stringify(messages);

describe("a server with a sandbox", () => {
  beforeAll(needSandbox);

  it("reports it at its start, in /readyz and in the doctor's output", async () => {
    const { greeting, url } = await start();
    expect(greeting).toMatch(
      /^ {2}Agents {2}in a sandbox \(bubblewrap .*\), which is closed to this machine/mu,
    );
    const ready = await fetch(`${url}/readyz`, { headers: { authorization: "Bearer s3cret" } });
    expect(await ready.json()).toMatchObject({
      sandbox: { mode: "required", active: true, reason: null },
    });
    const env = { HOME: home, AGENT_WORKSPACE_ROOT: prepared.root, HOLDFAST_TOKEN: "s3cret" };
    expect((await holdfast(["doctor", "--data", prepared.data], env)).stdout).toMatch(
      /^✓ sandbox {5}agents in a sandbox/mu,
    );
  });

  it("runs its agents inside, with Holdfast's tools, and also the demo agent", async () => {
    const { pid } = await start();
    const hidden = [path.join(home, "notes"), prepared.data, `/proc/${pid}/environ`];
    const transcript = texts(
      await ask(
        "scripted",
        script(
          shell(`ls -d ${hidden.join(" ")} 2>&1; echo made > made`),
          mcp("set_phase", { phase: "planning" }),
        ),
      ),
    );
    for (const file of hidden) expect(transcript).toContain(`'${file}': No such file or directory`);
    expect(transcript).toMatch(/mcp: .*planning/u);
    expect(readFileSync(path.join(prepared.root, "made"), "utf8")).toBe("made\n");
    expect(texts(await ask("demo", "remember the door is blue"))).toContain("demo agent");
  });

  it("lets `init` ask an agent in it, without a server", async () => {
    // In a process of its own: nothing else keeps it from its exit.
    const env = { HOME: home, NODE_OPTIONS: "" };
    const args = ["init", "--provider", "demo", "--data", prepared.data];
    expect(await holdfast(args, env, "", prepared.root)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Demo agent answered: /mu),
    });
  });

  it("gives its agents the routes of their own tools, and nothing else of the API", async () => {
    const { url } = await start();
    const paths = [
      "/",
      "/readyz",
      "/api/sessions",
      "/api/agent/sessions/another/history",
      "/api/agent/sessions/SESSION/../../../sessions",
      "/api/agent/sessions/SESSION/%2e%2e/%2e%2e/%2e%2e/sessions",
      "/api/agent/sessions/SESSION%2f..%2f..%2f..%2fsessions",
      "/api/agent/sessions/SESSION/history",
    ];
    const commands = [
      `curl -gsS --noproxy '*' -m 5 ${url}/readyz`,
      `curl -gsS -m 5 -x http://127.0.0.1:47047 --noproxy '' ${url}/readyz`,
      `curl -gsS -m 5 -x http://127.0.0.1:47047 --noproxy '' --proxytunnel ${url}/readyz`,
      ...paths.map(
        (each) =>
          `curl -gsS -m 5 --path-as-is --noproxy '*' "http://127.0.0.1:47047${each}" -o /dev/null -w '%{http_code}'`,
      ),
    ].map((command) => `${command} 2>&1; echo`);
    needProgram("curl");
    const repo = await client.repos.add({ path: "." });
    const { id } = await client.sessions.create({ repoId: repo.id, provider: "scripted" });
    await client.sessions.send(id, {
      text: script(shell(commands.join("\n").replaceAll("SESSION", id))),
    });
    const { messages } = await untilIdle(id);
    const lines = messages.flatMap(({ role, content }) =>
      role === "agent" && content.type === "text" ? String(content.text).trim().split(/\n+/u) : [],
    );
    expect(lines).toEqual([
      expect.stringContaining("Failed to connect"),
      expect.stringContaining(" is this machine."),
      expect.stringContaining("403"),
      ...Array.from({ length: 7 }, () => "403"),
      // The route itself: the API asks for the token of the session.
      "401",
    ]);
  });

  it.each([
    ["that are its children", { host: "inside" }],
    ["that may not work without a server", { unattendedSeconds: 0 }],
  ])("leaves no process behind of agents %s when it is killed (P5)", async (_, agents) => {
    configure(agents);
    const running = await start();
    const left = leavesBehind();
    void ask("scripted", script(shell(left.command), silent())).catch(() => {});
    await left.untilThere();
    await running.end("SIGKILL");
    server = null;
    expect(await calmMsOf(expect.poll(left.pids).toEqual([]))).toBeLessThan(5_000);
  });
});

describe("a server that requires a sandbox that is not available", () => {
  it("reports the reason, and starts no agent", async () => {
    const { greeting, url, end } = await start(withoutBubblewrap());
    const reason =
      "Bubblewrap is not installed: the program bwrap was not found (package bubblewrap).";
    expect(greeting).toContain(`  Agents  are not started: a sandbox is required. ${reason}\n`);
    const ready = await fetch(`${url}/readyz`, { headers: { authorization: "Bearer s3cret" } });
    expect(await ready.json()).toMatchObject({
      sandbox: { mode: "required", active: false, reason },
    });
    expect(JSON.stringify(await ask("demo", "Hello"))).toContain(
      `Agents may run only in a sandbox, and no sandbox is available. ${reason}`,
    );
    expect((await end("SIGTERM")).stderr).toBe(
      `holdfast: no agent can be started: a sandbox is required but not available. ${reason}\n`,
    );
    server = null;
    const env = { ...withoutBubblewrap(), HOME: home, AGENT_WORKSPACE_ROOT: prepared.root };
    expect(await holdfast(["doctor", "--data", prepared.data], env)).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^✗ sandbox {5}agents are not started: /mu),
    });
  });
});
