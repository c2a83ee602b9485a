import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { needProc } from "../../packages/server/src/domain/testing/machine.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  ask,
  elicit,
  form,
  say,
  script,
  shell,
  silent,
  tool,
  waitFor,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import { runningServer } from "../../packages/server/src/cli/settings/data-folder.ts";
import {
  holdfast,
  prepareFolder,
  readServerFile,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";
import { markedProcesses } from "./marked-processes.ts";

let folder: string;
let root: string;
let server: RunningServer;
let client: Client;

beforeEach(async () => {
  needProc();
  ({ folder, root } = prepareFolder({}));
  configure({ unattendedSeconds: 60 });
  await start();
});
afterEach(async () => {
  await server.end("SIGTERM");
  const left = agents();
  for (const pid of left) process.kill(pid, "SIGKILL");
  removeFolder(folder);
  if (left.length > 0) throw new Error(`${left.length} agents were left`);
});

/** The settings of agents of the next server. */
function configure(settings: object): void {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  const config = { sandbox: "off", providers, agents: settings };
  writeFileSync(path.join(folder, "data/holdfast.config.json"), JSON.stringify(config));
}

async function start(): Promise<void> {
  const env = { AGENT_WORKSPACE_ROOT: root };
  server = await startHoldfast({ data: path.join(folder, "data"), env });
  client = createClient(server);
}

async function killAndStart(): Promise<void> {
  await server.end("SIGKILL");
  await start();
}

/** A server that the test did not start. */
function attach(data: string, before: RunningServer): RunningServer {
  const { url, pid } = readServerFile(data);
  return {
    ...before,
    url,
    pid,
    end: async (signal) => {
      if (runningServer(data)?.pid === pid) process.kill(pid, signal);
      await expect.poll(() => runningServer(data)?.pid === pid, { timeout: 20_000 }).toBe(false);
      return { code: null, stdout: "", stderr: "" };
    },
  };
}

const agents = (): readonly number[] => markedProcesses(MARKER_VARIABLE, root);
const hostFile = (): { readonly pid: number; readonly socket: string } =>
  JSON.parse(readFileSync(path.join(folder, "data/host/host.json"), "utf8"));
const file = (name: string): string => path.join(root, name);

async function send(...steps: readonly Step[]): Promise<string> {
  const repo = await client.repos.add({ path: "." });
  const { id } = await client.sessions.create({ repoId: repo.id, provider: "scripted" });
  await client.sessions.send(id, { text: script(...steps) });
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

const textOf = ({ messages }: WholeSession): string =>
  messages
    .filter(({ role, content }) => role === "agent" && content.type === "text")
    .map(({ content }) => content["text"])
    .join("");

const isIdle = ({ state }: WholeSession): boolean => state === "idle";

async function endOf(id: string): Promise<{ readonly text: string; readonly status?: string }> {
  await until(id, isIdle);
  // Who follows a session may get the end of the run before the completed text.
  const session = await client.sessions.get(id);
  const { runs } = await client.sessions.runs(id);
  return { text: textOf(session), status: runs.at(-1)?.status ?? "none" };
}

describe("a killed server", () => {
  it("leaves its agent at work, and the next one goes on with every word once (D4)", async () => {
    const id = await send(
      say("one "),
      say("two "),
      waitFor(file("go")),
      say("three "),
      waitFor(file("end")),
      say("four"),
    );
    await until(id, (session) => textOf(session) === "one two ");
    const before = agents();
    await server.end("SIGKILL");
    // The agent goes on while no server is there.
    writeFileSync(file("go"), "");
    expect(agents()).toEqual(before);
    await start();
    await until(id, (session) => textOf(session) === "one two three ");
    await killAndStart();
    writeFileSync(file("end"), "");
    expect(await endOf(id)).toEqual({ text: "one two three four", status: "completed" });
    expect(agents()).toEqual(before);
    // It is the same agent for the next message, too.
    await client.sessions.send(id, { text: script(say(" five")) });
    expect(await endOf(id)).toMatchObject({ status: "completed" });
    expect(agents()).toEqual(before);
    const notices = (await client.sessions.get(id)).messages.filter(
      ({ content }) => content["notice"] !== undefined,
    );
    expect(notices).toEqual([]);
  });

  it("leaves a question open, and the answer goes to the agent that asked (D4)", async () => {
    const id = await send(
      ask({ id: "t1", title: "Write it" }),
      shell(`echo done >> ${file("effect")}`),
      say(" end"),
    );
    const asked = await until(id, ({ state }) => state === "suspended");
    const [pid] = agents();
    await killAndStart();
    const { suspensions } = await client.suspensions();
    expect(suspensions).toHaveLength(1);
    await client.sessions.answer(asked.id, {
      suspensionId: suspensions[0]?.id ?? "",
      answer: { optionId: "allow" },
    });
    expect(await endOf(id)).toEqual({ text: "answer: allow end", status: "completed" });
    expect(agents()[0]).toBe(pid);
    expect(readFileSync(file("effect"), "utf8")).toBe("done\n");
  });

  it("leaves a form open, and the answer goes to the agent that asked (D4)", async () => {
    const id = await send(elicit(form("Who?", { name: { type: "string" } })), say(" end"));
    await until(id, ({ state }) => state === "suspended");
    await killAndStart();
    const { suspensions } = await client.suspensions();
    const [open] = suspensions;
    await client.sessions.answer(id, {
      suspensionId: open?.id ?? "",
      answer: { action: "accept", content: { name: "Ada" } },
    });
    const end = await endOf(id);
    expect(end.status).toBe("completed");
    expect(end.text).toContain("Ada");
    expect(suspensions).toHaveLength(1);
  });

  it("leaves a tool call running, which ends for the next one (D4)", async () => {
    const id = await send(
      tool({ id: "t1", title: "Build", ends: null }),
      waitFor(file("go")),
      tool({ id: "t1", title: "Build" }),
      say("built"),
    );
    const statusOf = ({ messages }: WholeSession): unknown =>
      messages.find(({ content }) => content.type === "tool")?.content["status"];
    await until(id, (session) => statusOf(session) === "in_progress");
    await killAndStart();
    expect(statusOf(await client.sessions.get(id))).toBe("in_progress");
    writeFileSync(file("go"), "");
    expect(await endOf(id)).toEqual({ text: "built", status: "completed" });
    const session = await client.sessions.get(id);
    expect(statusOf(session)).toBe("completed");
    expect(session.messages.filter(({ content }) => content.type === "tool")).toHaveLength(1);
  });

  it("leaves an agent that a cancel reaches afterwards (D4)", async () => {
    const id = await send(say("on"), silent());
    await until(id, (session) => textOf(session) === "on");
    const [pid] = agents();
    await killAndStart();
    await client.sessions.cancel(id);
    expect(await endOf(id)).toEqual({ text: "on", status: "cancelled" });
    await client.sessions.send(id, { text: script(say(" next")) });
    expect(await endOf(id)).toEqual({ text: "on next", status: "completed" });
    expect(agents()[0]).toBe(pid);
  });
});

describe("a server that is replaced", () => {
  const go = async (id: string): Promise<void> => {
    writeFileSync(file("go"), "");
    expect(await endOf(id)).toEqual({ text: "on off", status: "completed" });
  };
  const atWork = async (): Promise<string> => {
    const id = await send(say("on "), waitFor(file("go")), say("off"));
    await until(id, (session) => textOf(session) === "on ");
    return id;
  };
  /** Another server than before answers. */
  const replaced = async (pid: number): Promise<void> => {
    const data = path.join(folder, "data");
    const running = (): number => runningServer(data)?.pid ?? pid;
    await expect.poll(running, { timeout: 30_000 }).not.toBe(pid);
    server = attach(data, server);
    client = createClient(server);
  };

  it("by `serve --takeover` leaves its agents to the new one (D4)", async () => {
    const id = await atWork();
    const before = agents();
    const old = server;
    const env = { AGENT_WORKSPACE_ROOT: root };
    const data = path.join(folder, "data");
    server = await startHoldfast({ data, env, args: ["--takeover"] });
    client = createClient(server);
    await expect.poll(() => existsSync(`/proc/${old.pid}/exe`)).toBe(false);
    expect(agents()).toEqual(before);
    // Tools of the agent know the old address.
    expect(server.url).toBe(old.url);
    await go(id);
  });

  it("by SIGHUP starts itself again, and leaves its agents to the new one (D4)", async () => {
    const id = await atWork();
    const before = agents();
    process.kill(server.pid, "SIGHUP");
    await replaced(server.pid);
    expect(agents()).toEqual(before);
    await go(id);
  });

  it("by `restart` leaves its agents to the new one, ten times (D4)", async () => {
    await server.end("SIGTERM");
    const data = path.join(folder, "data");
    const env = { AGENT_WORKSPACE_ROOT: root };
    const run = async (command: string): Promise<void> => {
      const port = command === "up" ? ["--port", "0"] : [];
      const done = await holdfast([command, "--data", data, ...port], env);
      expect(done).toMatchObject({ code: 0 });
      server = attach(data, server);
      client = createClient(server);
    };
    await run("up");
    const id = await atWork();
    const before = agents();
    for (let time = 0; time < 10; time += 1) await run("restart");
    expect(agents()).toEqual(before);
    await go(id);
  });
});

describe("a server that has agents inside", () => {
  it("ends those that an earlier server has left outside (D4)", async () => {
    const id = await send(say("on"), silent());
    await until(id, (session) => textOf(session) === "on");
    await server.end("SIGKILL");
    const config = path.join(folder, "data/holdfast.config.json");
    const settings = JSON.parse(readFileSync(config, "utf8"));
    writeFileSync(config, JSON.stringify({ ...settings, agents: { host: "inside" } }));
    await start();
    expect(agents()).toEqual([]);
    expect(await endOf(id)).toEqual({ text: "on", status: "interrupted" });
    expect(readdirSync(path.join(folder, "data/host")).filter(isOfAgent)).toEqual([]);
    const { agentHost } = await client.readiness();
    expect(agentHost).toEqual({ mode: "inside", pid: null, agents: 0 });
  });
});

const isOfAgent = (name: string): boolean => name.endsWith(".log") || name.endsWith(".sock");

describe("a machine that restarts", () => {
  const killBoth = async (): Promise<void> => {
    const { pid } = JSON.parse(readFileSync(path.join(folder, "data/host/host.json"), "utf8"));
    await server.end("SIGKILL");
    process.kill(pid, "SIGKILL");
    for (const agent of agents()) process.kill(agent, "SIGKILL");
    await start();
  };

  it("keeps the question of an agent, and the next agent gets the answer (C3, D4)", async () => {
    const id = await send(say("may I? "), ask({ id: "t1", title: "Do it" }));
    const [asked] = (await until(id, ({ state }) => state === "suspended")).suspensions;
    await killBoth();
    const { suspensions } = await client.sessions.get(id);
    expect(suspensions.map((each) => each.id)).toEqual([asked?.id]);
    await client.sessions.answer(id, { suspensionId: asked?.id ?? "", answer: "allow_once" });
    const { status, text } = await endOf(id);
    expect([status, text.startsWith("may I? ")]).toEqual(["completed", true]);
  });

  it("interrupts a run, and keeps what its agent said (P2, D4)", async () => {
    const id = await send(say("one "), silent());
    await until(id, (session) => textOf(session) === "one ");
    await killBoth();
    expect(await endOf(id)).toEqual({ text: "one ", status: "interrupted" });
    const { messages } = await client.sessions.get(id);
    expect(messages.at(-1)?.content).toMatchObject({ notice: "run_interrupted" });
  });
});

describe("an agent for which no server comes in time", () => {
  beforeEach(async () => {
    await server.end("SIGTERM");
    configure({ unattendedSeconds: 0 });
    await start();
  });
  /** The host ends the agent, and itself. */
  const killAndStartLater = async (): Promise<void> => {
    const { socket } = hostFile();
    await server.end("SIGKILL");
    await expect.poll(() => existsSync(socket)).toBe(false);
    expect(agents()).toEqual([]);
    await start();
  };

  it("has been ended, and its run is interrupted, although it said that it was cancelled (D4, P2)", async () => {
    const id = await send(say("on"), silent());
    await until(id, (session) => textOf(session) === "on");
    await killAndStartLater();
    expect(await endOf(id)).toEqual({ text: "on", status: "interrupted" });
    const { messages } = await client.sessions.get(id);
    expect(messages.at(-1)?.content["text"]).toContain("the server was away for too long");
  });

  it("leaves its question open, and the next agent gets the answer (C3, D4)", async () => {
    const id = await send(ask({ id: "t1", title: "Do it", isLeft: true }), silent());
    await until(id, ({ state }) => state === "suspended");
    await killAndStartLater();
    const { suspensions } = await client.suspensions();
    expect(suspensions).toMatchObject([{ sessionId: id, status: "open" }]);
    const answer = { suspensionId: suspensions[0]?.id ?? "", answer: { optionId: "allow" } };
    await client.sessions.answer(id, answer);
    expect(await endOf(id)).toMatchObject({ status: "completed" });
    expect((await client.sessions.runs(id)).runs).toHaveLength(1);
  });
});

describe("an agent host that is killed", () => {
  it("takes its agents with it: the run is interrupted, and the next message starts another host (P2, P5)", async () => {
    const id = await send(say("on"), silent());
    await until(id, (session) => textOf(session) === "on");
    const { pid } = hostFile();
    process.kill(pid, "SIGKILL");
    expect(await endOf(id)).toEqual({ text: "on", status: "interrupted" });
    expect(agents()).toEqual([]);
    await client.sessions.send(id, { text: script(say(" again")) });
    expect(await endOf(id)).toEqual({ text: "on again", status: "completed" });
    expect(hostFile().pid).not.toBe(pid);
  });
});

describe("a server that stops", () => {
  it("ends its agents and their host (A8)", async () => {
    const id = await send(say("on"), silent());
    await until(id, (session) => textOf(session) === "on");
    const { pid } = hostFile();
    await server.end("SIGTERM");
    expect(agents()).toEqual([]);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    await start();
    expect(await endOf(id)).toEqual({ text: "on", status: "interrupted" });
  });
});
