import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openJsonRpcPeer, type JsonRpcPeer, type PeerOptions } from "./json-rpc-peer.ts";
import { RpcError } from "./rpc-error.ts";

interface Rig {
  readonly peer: JsonRpcPeer;
  readonly input: PassThrough;
  readonly sent: Record<string, unknown>[];
  readonly heard: unknown[];
  readonly traffic: string[];
  /** Sends a message to the peer. */
  give(message: object): void;
}

function openRig(options: Partial<PeerOptions> = {}): Rig {
  const input = new PassThrough();
  const output = new PassThrough();
  const sent: Record<string, unknown>[] = [];
  const heard: unknown[] = [];
  const traffic: string[] = [];
  output.on("data", (bytes: Buffer) => {
    for (const line of bytes.toString().split("\n").filter(Boolean)) {
      sent.push(JSON.parse(line) as Record<string, unknown>);
    }
  });
  const peer = openJsonRpcPeer({
    input,
    output,
    handlers: {},
    onNotification: (method, params) => heard.push([method, params]),
    onTraffic: (direction, line) => traffic.push(`${direction} ${line}`),
    ...options,
  });
  return {
    peer,
    input,
    sent,
    heard,
    traffic,
    give: (message) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
  };
}

const flushed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("requests", () => {
  it("get their own replies, in any order", async () => {
    const { peer, sent, give } = openRig();
    const first = peer.request("a", { x: 1 });
    const second = peer.request("b", null);
    await flushed();
    expect(sent).toEqual([
      { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } },
      { jsonrpc: "2.0", id: 2, method: "b", params: null },
    ]);
    give({ id: 2, result: "two" });
    give({ id: 1, error: { code: 5, message: "no", data: { why: 1 } } });
    await expect(second).resolves.toBe("two");
    await expect(first).rejects.toEqual(new RpcError(5, "no", { why: 1 }));
  });

  it("accept the first reply and ignore a second, an unknown and a malformed one", async () => {
    const { peer, give } = openRig();
    const asked = peer.request("a", {});
    give({ id: 77, result: 0 });
    give({ id: "1", result: 0 });
    give({ id: 1, result: "first" });
    give({ id: 1, result: "second" });
    give({ id: 1, error: { code: 1, message: "third" } });
    await expect(asked).resolves.toBe("first");
    const next = peer.request("b", {});
    give({ id: 2, error: "text" });
    await expect(next).rejects.toMatchObject({ name: "RpcError", code: -32603 });
  });

  it("end after the timeout, and when they are aborted", async () => {
    const { peer } = openRig();
    await expect(peer.request("slow", {}, { timeoutMs: 10 })).rejects.toMatchObject({
      name: "PeerFault",
      code: "timed_out",
      message: "No reply to slow in 10 ms",
    });
    const abort = new AbortController();
    const asked = peer.request("long", {}, { signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
    await expect(peer.request("late", {}, { signal: abort.signal })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("end with the other side's output, after its last messages", async () => {
    const { peer, input, give } = openRig();
    const [answered, open] = [peer.request("a", {}), peer.request("b", {})];
    give({ id: 1, result: "last" });
    input.end();
    await expect(answered).resolves.toBe("last");
    await expect(open).rejects.toMatchObject({ code: "closed" });
    await expect(peer.request("c", {})).rejects.toMatchObject({ code: "closed" });
    await expect(peer.closed).resolves.toBe("its output ended");
  });

  it("end with a fault if the pipe breaks, and nothing else throws", async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const { peer } = openRig({ output });
    await expect(peer.request("a", {})).rejects.toMatchObject({ code: "closed" });
    peer.notify("b", {});
    await expect(peer.request("c", {})).rejects.toMatchObject({
      message: "c was not sent: its input cannot be written: write EPIPE",
    });
  });

  it("are not sent beyond a limit if the other side does not read (P6)", async () => {
    const output = new Writable({ write: () => {}, highWaterMark: 10 });
    const { peer } = openRig({ output, maxUnreadBytes: 1000 });
    for (let count = 0; count < 100; count += 1) peer.notify("n", { text: "x".repeat(100) });
    expect(output.writableLength).toBeLessThan(1300);
    await expect(peer.request("a", {})).rejects.toMatchObject({ code: "overflow" });
  });

  it("fail instead of waiting if their reply cannot be read (P6)", async () => {
    const { peer, input } = openRig({ maxLineBytes: 1000 });
    const [long, deep] = [peer.request("a", {}), peer.request("b", {})];
    input.write(`{"jsonrpc":"2.0","id":1,"result":{"text":"${"x".repeat(2000)}"}}\n`);
    input.write(`{"jsonrpc":"2.0","id":2,"result":${"[".repeat(100)}${"]".repeat(100)}}\n`);
    await expect(long).rejects.toMatchObject({ code: "unreadable" });
    await expect(deep).rejects.toMatchObject({ code: "unreadable" });
  });
});

describe("a message from the other side", () => {
  it("is always answered: by its handler, with an error, or as unknown", async () => {
    const unknown: string[] = [];
    const { sent, give } = openRig({
      handlers: {
        works: (params, id) => Promise.resolve({ params, id }),
        empty: () => Promise.resolve(undefined),
        refuses: () => Promise.reject(new RpcError(-32602, "bad", { field: "x" })),
        breaks: () => Promise.reject(new Error("private words")),
      },
      onUnknownRequest: (method) => unknown.push(method),
    });
    give({ id: "q1", method: "works", params: [1] });
    give({ id: 2, method: "empty" });
    give({ id: 3, method: "refuses" });
    give({ id: 4, method: "breaks" });
    give({ id: 5, method: "vendor/thing" });
    give({ id: 6, method: "toString" });
    await flushed();
    const byId = sent.toSorted((left, right) =>
      String(left["id"]).localeCompare(String(right["id"])),
    );
    expect(byId).toEqual([
      { jsonrpc: "2.0", id: 2, result: null },
      { jsonrpc: "2.0", id: 3, error: { code: -32602, message: "bad", data: { field: "x" } } },
      { jsonrpc: "2.0", id: 4, error: { code: -32603, message: "Internal error" } },
      { jsonrpc: "2.0", id: 5, error: { code: -32601, message: "Method not found: vendor/thing" } },
      { jsonrpc: "2.0", id: 6, error: { code: -32601, message: "Method not found: toString" } },
      { jsonrpc: "2.0", id: "q1", result: { params: [1], id: "q1" } },
    ]);
    expect(unknown).toEqual(["vendor/thing", "toString"]);
  });

  it("is answered even if it is too long or nested too deep (P6)", async () => {
    const { sent, input } = openRig({ maxLineBytes: 1000 });
    input.write(`{"jsonrpc":"2.0","id":7,"method":"ask","params":{"t":"${"x".repeat(2000)}"}}\n`);
    input.write(
      `{"jsonrpc":"2.0","id":8,"method":"ask","params":${"[".repeat(99)}${"]".repeat(99)}}\n`,
    );
    // What takes longer than a slice of time is handled later.
    await expect.poll(() => sent).toHaveLength(2);
    expect(sent).toMatchObject([
      { id: 7, error: { code: -32600 } },
      { id: 8, error: { code: -32600 } },
    ]);
  });

  it("is diverted and never answered if it is noise", async () => {
    const { sent, heard, traffic, input, give } = openRig();
    input.write('Loading plugins… 100%\n{"half":\n[]\n{"jsonrpc":"2.0","id":{},"method":"x"}\n');
    give({ method: "hello", params: { a: 1 } });
    await flushed();
    expect(sent).toEqual([]);
    expect(heard).toEqual([["hello", { a: 1 }]]);
    expect(traffic).toEqual([
      "noise Loading plugins… 100%",
      'noise {"half":',
      "noise []",
      'noise {"jsonrpc":"2.0","id":{},"method":"x"}',
      'in {"jsonrpc":"2.0","method":"hello","params":{"a":1}}',
    ]);
  });

  it("waits in order while the receiver is busy, and none is lost (P6)", async () => {
    const gates: PromiseWithResolvers<void>[] = [];
    const heard: unknown[] = [];
    const rig = openRig({
      onNotification: (_method, params) => {
        heard.push(params);
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        rig.peer.hold(gate.promise);
      },
    });
    const asked = rig.peer.request("a", {});
    const lines = [0, 1, 2, 3, 4].map((params) => ({ jsonrpc: "2.0", method: "n", params }));
    const answer = { jsonrpc: "2.0", id: 1, result: "after all" };
    rig.input.end([...lines, answer].map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (let count = 0; count < 5; count += 1) {
      await flushed();
      expect(heard).toEqual([0, 1, 2, 3, 4].slice(0, count + 1));
      expect(rig.input.isPaused()).toBe(true);
      // Node does this with the pipes of a process that has exited.
      if (count === 2) rig.input.resume();
      await flushed();
      gates[count]?.resolve();
    }
    await expect(asked).resolves.toBe("after all");
    await expect(rig.peer.closed).resolves.toBe("its output ended");
  });

  it("is handled even if the receiver failed before", async () => {
    const rig = openRig();
    rig.peer.hold(Promise.reject(new Error("could not be stored")));
    rig.give({ method: "n", params: 1 });
    await flushed();
    await flushed();
    expect(rig.heard).toEqual([["n", 1]]);
  });

  it("is the last soon after the process exits, even if a child keeps the pipe open", async () => {
    const { peer, heard, give } = openRig();
    give({ method: "last words" });
    peer.finish();
    await expect(peer.closed).resolves.toBe("it has exited");
    expect(heard).toEqual([["last words", undefined]]);
  });
});
