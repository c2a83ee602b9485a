import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { say, script, shell } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  readServerFile,
  readToken,
  removeFolder,
  startHoldfast,
  type ProcessResult,
} from "./holdfast-process.ts";
import { inShell, inTerminal, needTerminal, withoutTerminal } from "./real-terminal.ts";

let folder: string;
let data: string;
let root: string;
beforeEach(() => {
  ({ folder, data, root } = prepareFolder({}));
});
afterEach(async () => {
  await on("down");
  removeFolder(folder);
});

/** Runs a command on the data folder. The server's settings come from the environment. */
async function on(
  command: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  return holdfast([command, "--data", data, ...args], { AGENT_WORKSPACE_ROOT: root, ...env });
}

const up = (...args: readonly string[]) => on("up", ["--port", "0", ...args]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("holdfast up", () => {
  it("starts a server that answers and outlives the command, and finds it the next time", async () => {
    const first = await up("--json");
    const { url, pid, version, startedAt } = readServerFile(data);
    const server = { jsonVersion: 1, url, pid, version, startedAt, dataFolder: data };
    expect([first.code, JSON.parse(first.stdout)]).toEqual([0, { started: true, ...server }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const second = await up();
    expect(second).toMatchObject({
      code: 0,
      stdout: `Holdfast ${version} already runs at ${url} (pid ${pid}).\n`,
    });
    expect(JSON.parse((await up("--json")).stdout)).toEqual({ started: false, ...server });
  });

  it("starts one server when it is called several times at once", async () => {
    const results = await Promise.all(
      Array.from({ length: 3 }, () => runApart(["up", "--port", "0", "--json", "--data", data])),
    );
    const { pid } = readServerFile(data);
    const servers = results.map(({ stdout }) => JSON.parse(stdout));
    expect(servers.map((server) => server.pid)).toEqual([pid, pid, pid]);
    expect(servers.filter(({ started }) => started)).toHaveLength(1);
  });

  it("starts a server after kill -9", async () => {
    await up();
    const { pid } = readServerFile(data);
    process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await on("status")).code).toBe(1);
    expect((await up()).code).toBe(0);
    expect(readServerFile(data).pid).not.toBe(pid);
  });

  it("gives the reason when the server does not start", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void blocker.close());
    await new Promise((resolve) => blocker.once("listening", resolve));
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await on("up", ["--port", String(port)])).toEqual({
      code: 2,
      stdout: "",
      stderr: `holdfast: Port ${port} on 127.0.0.1 is in use. Choose another with --port, or --port 0 for any free one.\n`,
    });
    expect(existsSync(path.join(data, "start.json"))).toBe(false);
  });

  it("refuses bad settings with exit code 64", async () => {
    expect(await on("up", ["--port", "x"])).toMatchObject({ code: 64, stdout: "" });
    expect(await on("up", [], { AGENT_WORKSPACE_ROOT: "/nowhere" })).toMatchObject({ code: 64 });
    writeFileSync(path.join(data, "holdfast.config.json"), "{");
    expect(await up()).toMatchObject({ code: 64, stdout: "" });
  });

  it("prints no address that signs in to the file of the server's output", async () => {
    await up();
    const output = readFileSync(path.join(data, "logs", "server.out"), "utf8");
    expect(output).toContain("is ready at");
    expect(output).not.toContain("code=");
  });
});

describe("holdfast down", () => {
  it("stops the server and returns when the data folder is free", async () => {
    await up();
    const { pid, url } = readServerFile(data);
    expect(await on("down")).toEqual({
      code: 0,
      stdout: `Stopped the server at ${url} (pid ${pid}).\n`,
      stderr: "",
    });
    expect(existsSync(path.join(data, "server.json"))).toBe(false);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("succeeds when no server runs", async () => {
    expect(await on("down")).toEqual({
      code: 0,
      stdout: `No server runs on ${data}.\n`,
      stderr: "",
    });
    expect(JSON.parse((await on("down", ["--json"])).stdout)).toEqual({
      jsonVersion: 1,
      stopped: false,
      pid: null,
      dataFolder: data,
    });
  });

  it("stops a server in the foreground, too, and works with a config file that is not valid", async () => {
    const server = await startHoldfast({ data });
    writeFileSync(path.join(data, "holdfast.config.json"), "{");
    expect(await on("down")).toMatchObject({ code: 0 });
    await expect.poll(() => isAlive(server.pid)).toBe(false);
  });

  it("never signals a process that has the ID of a server by accident", async () => {
    await up();
    const file = path.join(data, "server.json");
    const server = readServerFile(data);
    const stranger = spawn("sleep", ["600"]);
    onTestFinished(() => void stranger.kill("SIGKILL"));
    writeFileSync(file, JSON.stringify({ ...server, pid: stranger.pid }));
    const refused = await on("down");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`Process ${stranger.pid} cannot be identified`);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
    writeFileSync(file, JSON.stringify(server));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe("holdfast restart", () => {
  it("starts the server with the settings of the last up, whatever the shell has now", async () => {
    const settings = { HOLDFAST_TOKEN: "s3cret-of-the-first-shell", AGENT_MAX_SESSIONS: "3" };
    await on("up", ["--port", "0"], settings);
    const before = readServerFile(data);
    expect(statSync(path.join(data, "start.json")).mode & 0o777).toBe(0o600);
    const again = await on("restart", ["--json"], {
      HOLDFAST_TOKEN: "another",
      AGENT_WORKSPACE_ROOT: folder,
      AGENT_MAX_SESSIONS: "",
    });
    const after = readServerFile(data);
    expect(JSON.parse(again.stdout)).toMatchObject({ started: true, pid: after.pid });
    expect(after.pid).not.toBe(before.pid);
    const { stdout } = await on("status", ["--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ maxAgents: 3, workspaceRoot: root });
    const headers = { authorization: `Bearer ${settings.HOLDFAST_TOKEN}` };
    expect((await fetch(`${after.url}/api/sessions`, { headers })).status).toBe(200);
  });

  it("keeps the flags of the last up", async () => {
    const other = path.join(root, "other");
    mkdirSync(path.join(other, ".git"), { recursive: true });
    const flags = ["--port", "0", "--host", "127.0.0.2", "--workspace-root", other];
    expect((await on("up", flags)).code).toBe(0);
    expect((await on("restart")).code).toBe(0);
    const { stdout } = await on("status", ["--json"]);
    const { workspaceRoot, url } = JSON.parse(stdout);
    expect([workspaceRoot, new URL(url).hostname]).toEqual([other, "127.0.0.2"]);
  });

  it("starts a server that is not running", async () => {
    expect(await on("restart", [], { HOLDFAST_PORT: "0" })).toMatchObject({ code: 0 });
    expect(await on("status")).toMatchObject({ code: 0 });
  });

  it("leaves a server alone that was not started by up", async () => {
    const server = await startHoldfast({ data });
    const refused = await on("restart");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`pid ${server.pid} was not started with \`holdfast up\``);
    expect(readServerFile(data).pid).toBe(server.pid);
    await server.end("SIGTERM");
  });
});

describe("holdfast status", () => {
  it("exits with 1 when no server runs", async () => {
    expect(await on("status")).toMatchObject({ code: 1, stdout: `No server runs on ${data}.\n` });
    const { code, stdout } = await on("status", ["--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        jsonVersion: 1,
        running: false,
        starting: false,
        url: null,
        pid: null,
        version: null,
        startedAt: null,
        dataFolder: data,
        database: null,
        workspaceRoot: null,
        answers: false,
        problem: null,
        liveAgents: null,
        maxAgents: null,
        questions: null,
      },
    ]);
  });

  it("shows the server and its work", async () => {
    await up();
    const { url, pid, version, startedAt } = readServerFile(data);
    const { code, stdout } = await on("status", ["--json"], {
      HOLDFAST_TOKEN: "of another server",
    });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        jsonVersion: 1,
        running: true,
        starting: false,
        url,
        pid,
        version,
        startedAt,
        dataFolder: data,
        database: `SQLite, ${path.join(data, "holdfast.db")}`,
        workspaceRoot: root,
        answers: true,
        problem: null,
        liveAgents: 0,
        maxAgents: 5,
        questions: 0,
      },
    ]);
    const text = (await on("status")).stdout;
    for (const part of [`url: ${url}`, `pid: ${pid}`, "live agents: 0 of 5", "questions: 0"])
      expect(text).toContain(`${part}\n`);
  });
});

describe("holdfast logs", () => {
  it("exits with 1 when there is no log", async () => {
    expect(await on("logs")).toMatchObject({ code: 1, stdout: "" });
  });

  it("prints the last lines as JSON without a terminal, and readable ones with a terminal", async () => {
    needTerminal();
    await up();
    const { url } = readServerFile(data);
    await on("down");
    const lines = (await on("logs", ["-n", "1000"])).stdout.trim().split("\n");
    const messages = lines.map((line) => JSON.parse(line).msg);
    expect(messages).toContain("ready");
    expect((await on("logs", ["-n", "2"])).stdout.trim().split("\n")).toEqual(lines.slice(-2));
    expect((await on("logs", ["-n", "0"])).stdout).toBe("");
    const terminal = inTerminal(["logs", "-n", "1000", "--data", data], { env: { NO_COLOR: "1" } });
    await terminal.shows(`INFO  ready url=${url}`);
    expect(await terminal.code).toBe(0);
  });

  it("follows the log over a rotation", async () => {
    const log = path.join(data, "logs", "holdfast.log");
    mkdirSync(path.dirname(log));
    writeFileSync(log, "one\ntwo\nthr");
    const command = withoutTerminal(["logs", "--follow", "-n", "1", "--data", data]);
    onTestFinished(command.kill);
    await command.shows("two\n");
    appendFileSync(log, "ee\n");
    await command.shows("three\n");
    appendFileSync(log, "four\n");
    renameSync(log, `${log}.1`);
    writeFileSync(log, "five\n");
    await command.shows("five\n");
    appendFileSync(log, "six\n");
    await command.shows("six\n");
    expect(command.stdout()).toBe("two\nthree\nfour\nfive\nsix\n");
  });
});

describe("holdfast alone", () => {
  it("on a terminal starts the server in the background and opens its page, signed in", async () => {
    needTerminal();
    const opened = path.join(folder, "opened");
    const browser = path.join(folder, process.platform === "darwin" ? "open" : "xdg-open");
    writeFileSync(
      browser,
      `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
    );
    chmodSync(browser, 0o755);
    const env = {
      HOLDFAST_DATA: data,
      HOLDFAST_PORT: "0",
      DISPLAY: ":99",
      PATH: `${folder}:${process.env["PATH"]}`,
    };
    const command = inTerminal([], { env });
    await command.shows("is ready at http://127.0.0.1:");
    const { url } = readServerFile(data);
    await command.shows(`Opened ${url} in your browser.`);
    await command.shows("Next, choose your agent: holdfast init");
    expect(await command.code).toBe(0);
    await expect.poll(() => existsSync(opened)).toBe(true);
    const code = /#code=(.+)\n$/u.exec(readFileSync(opened, "utf8"))?.[1];
    const reply = await fetch(`${url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ code }),
    });
    expect(reply.status).toBe(200);
    const headers = { authorization: `Bearer ${readToken(data)}` };
    expect((await fetch(`${url}/api/sessions`, { headers })).status).toBe(200);
  });

  it("without a terminal prints the help and exits with 64", async () => {
    const { code, stdout, stderr } = await holdfast([], { HOLDFAST_DATA: data });
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain("USAGE: holdfast");
    expect(existsSync(path.join(data, "server.lock"))).toBe(false);
  });
});

describe("a server in the background", () => {
  it("has the folder of the command as its workspace root, and agents have the umask of the command", async () => {
    const config = {
      sandbox: "off",
      providers: { scripted: { type: "acp", command: scriptedCommand } },
    };
    writeFileSync(path.join(data, "holdfast.config.json"), JSON.stringify(config));
    const started = inShell(`umask 027; cd '${root}'`, ["up", "--port", "0", "--data", data]);
    expect(await started).toBe(0);
    const { stdout } = await on("create", ["--repo", root, "--provider", "scripted"]);
    const turn = script(shell("umask > umask-of-agent"), say("done"));
    expect((await on("send", [stdout.trim(), turn])).code).toBe(0);
    expect(readFileSync(path.join(root, "umask-of-agent"), "utf8").trim()).toBe("0027");
  });
});

/** In a process of its own, because commands in the shared one run one after another. */
async function runApart(args: readonly string[]): Promise<{ readonly stdout: string }> {
  const command = withoutTerminal(args);
  expect(await command.code).toBe(0);
  return { stdout: command.stdout() };
}
