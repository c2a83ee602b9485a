import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BINARY } from "../../e2e/holdfast-process.ts";
import { openMcpWorld, type McpWorld } from "./mcp-world.ts";

let world: McpWorld;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await openMcpWorld();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  await world.end();
});

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

function start(args: readonly string[] = ["--data", world.server().data]) {
  const child = spawn(process.execPath, [BINARY, "mcp", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  child.stdin.on("error", () => {});
  const replies: Reply[] = [];
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    replies.push(JSON.parse(line) as Reply);
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return {
    child,
    replies,
    exited,
    stderr: () => stderr,
    write: (line: string) => child.stdin.write(`${line}\n`),
  };
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
});
const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

describe("holdfast mcp", () => {
  it("goes on after lines that are no messages, and refuses what it does not know (D6)", async () => {
    const { write, replies } = start();
    write(INITIALIZE);
    await expect
      .poll(() => replies)
      .toMatchObject([{ id: 1, result: { serverInfo: { name: "holdfast" } } }]);
    for (const line of [
      "not JSON",
      "{",
      "1",
      "[]",
      '{"jsonrpc":"1.0","id":7}',
      '{"id":8,"method":3}',
    ])
      write(line);
    write(request(2, "no/such/method"));
    write(request(3, "tools/call", { name: 5 }));
    write(request(4, "tools/call", { name: "get_session", arguments: "text" }));
    write(request(5, "tools/list"));
    await expect.poll(() => replies.some(({ id }) => id === 5)).toBe(true);
    const errors = replies.flatMap(({ id, error }) =>
      error === undefined ? [] : [[id, error.code]],
    );
    expect(errors).toEqual(
      expect.arrayContaining([
        [2, -32_601],
        [3, -32_602],
        [4, -32_602],
      ]),
    );
    expect(replies.find(({ id }) => id === 5)?.result).toBeDefined();
  });

  it("ends with the input, in the middle of a call as well (D6)", async () => {
    const idle = start();
    idle.child.stdin.end();
    expect(await idle.exited).toBe(0);
    const busy = start();
    busy.write(INITIALIZE);
    busy.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    busy.write(request(2, "tools/call", { name: "list_sessions", arguments: {} }));
    busy.write(request(3, "tools/call", { name: "wait", arguments: { session: "none" } }));
    await expect.poll(() => busy.replies.some(({ id }) => id === 3)).toBe(true);
    busy.child.stdin.end('{"jsonrpc":"2.0","id":4,"meth');
    expect(await busy.exited).toBe(0);
  });

  it("ends at a message that is too large, and says so (D6)", async () => {
    const { write, exited, stderr, replies } = start();
    write(INITIALIZE);
    await expect.poll(() => replies.length).toBe(1);
    write(`"${"x".repeat(32 * 1024 * 1024)}`);
    expect(await exited).not.toBeNull();
    expect(stderr()).toMatch(/holdfast: a message: .*(size|large|buffer)/iu);
  });

  it("refuses settings that it cannot use (D6)", async () => {
    const { exited, stderr } = start(["--url", "ftp://elsewhere"]);
    expect(await exited).toBe(64);
    expect(stderr()).toMatch(/ftp:\/\/elsewhere/u);
  });
});
